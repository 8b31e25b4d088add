package dev.blobshuffle.core.internal.encryption;

import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HKDF with SHA-256 (RFC 5869), for an output of one hash, 32 bytes. Stateless. */
final class Hkdf {
    private static final String ALGORITHM = "HmacSHA256";

    private Hkdf() {}

    /** A pseudorandom key of 32 bytes. */
    static byte[] extract(byte[] salt, byte[] inputKey) {
        return mac(salt, inputKey);
    }

    /** The first 32 bytes of output for a purpose, the info. */
    static byte[] expand(byte[] pseudorandomKey, byte[] info) {
        byte[] block = new byte[info.length + 1];
        System.arraycopy(info, 0, block, 0, info.length);
        block[info.length] = 1;
        return mac(pseudorandomKey, block);
    }

    private static byte[] mac(byte[] key, byte[] data) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(data);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot derive a key: this Java has no " + ALGORITHM + ".", e);
        }
    }
}
