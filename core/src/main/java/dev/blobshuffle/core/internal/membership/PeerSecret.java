package dev.blobshuffle.core.internal.membership;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret that all members of a shuffle share. A member proves that it knows the secret by an
 * HMAC-SHA256 (RFC 2104); the secret itself is never sent. Each purpose has its own key, so a proof
 * for one purpose is worthless for another. Immutable and thread-safe; {@link #toString()} does not
 * contain the secret.
 */
public final class PeerSecret {
    /** Length of a proof in bytes. */
    public static final int PROOF_LENGTH = 32;

    private static final String SCHEME = "BlobShuffle ";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int LEAST_BYTES = 16;

    private final SecretKeySpec key;

    /** One instance per thread, because looking up the algorithm costs more than a short HMAC. */
    private final ThreadLocal<Mac> macs;

    /**
     * A secret.
     *
     * @param bytes the secret, 16 bytes or more
     * @throws InvalidSettingsException fatal: the secret is shorter
     */
    public PeerSecret(byte[] bytes) {
        if (bytes.length < LEAST_BYTES) {
            throw new InvalidSettingsException(
                    "Cannot use a secret of " + bytes.length + " bytes: it could be guessed. Give " + LEAST_BYTES
                            + " or more, for example of: openssl rand -base64 32.");
        }
        key = new SecretKeySpec(bytes, ALGORITHM);
        macs = ThreadLocal.withInitial(this::begin);
    }

    /** The key for one purpose. It reveals nothing of the secret or of other keys. */
    public PeerSecret forPurpose(String purpose) {
        return new PeerSecret(mac(purpose.getBytes(StandardCharsets.UTF_8)));
    }

    /** The value of the HTTP header {@code Authorization} that proves a request. */
    public String sign(String request) {
        return SCHEME
                + Base64.getUrlEncoder().withoutPadding().encodeToString(mac(request.getBytes(StandardCharsets.UTF_8)));
    }

    /** Whether a header proves a request. The comparison takes constant time. */
    public boolean accepts(String request, String header) {
        return MessageDigest.isEqual(
                sign(request).getBytes(StandardCharsets.US_ASCII), header.getBytes(StandardCharsets.UTF_8));
    }

    /** The proof of the concatenated parts. */
    public byte[] mac(byte[]... parts) {
        Mac mac = macs.get();
        for (byte[] part : parts) {
            mac.update(part);
        }
        return mac.doFinal();
    }

    /** Starts a proof of bytes that arrive in pieces. */
    public Mac begin() {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot compute " + ALGORITHM + ": this Java lacks it.", e);
        }
    }

    @Override
    public String toString() {
        return "a secret";
    }
}
