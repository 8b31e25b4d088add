package dev.blobshuffle.peer.internal.trust;

import dev.blobshuffle.core.internal.membership.PeerSecret;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.List;

/**
 * A key pair that a member creates when it starts, and its certificate. The certificate is
 * self-signed (X.509, ECDSA over P-256 with SHA-256). Its subject is a proof: the HMAC of the
 * public key, with a key that only members can derive. So a member recognises another member's
 * certificate without having seen it before, and without an authority.
 *
 * <p>The JDK has no public API that creates a certificate, so this class encodes one (ITU-T X.690,
 * DER; RFC 5280, section 4.1). It never decodes certificates; the JDK's parser does.
 *
 * @param key the private key, kept in memory only
 * @param certificate contains the proof
 */
record MemberCertificate(PrivateKey key, X509Certificate certificate) {
    private static final String PURPOSE = "blobshuffle certificate 1";

    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int UTF8_STRING = 0x0C;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;

    /** 1.2.840.10045.4.3.2, ecdsa-with-SHA256. */
    private static final byte[] ECDSA_WITH_SHA256 = {0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 0x04, 0x03, 0x02};

    /** 2.5.4.3, commonName. */
    private static final byte[] COMMON_NAME = {0x55, 0x04, 0x03};

    /**
     * From the epoch to the date that RFC 5280, 4.1.2.5 defines for certificates without an end.
     */
    private static final byte[] VALIDITY =
            sequence(der(GENERALIZED_TIME, ascii("19700101000000Z")), der(GENERALIZED_TIME, ascii("99991231235959Z")));

    /** Creates a key pair and its certificate. */
    static MemberCertificate create(PeerSecret secret) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            byte[] encoded = encode(pair, proof(secret, pair.getPublic()));
            X509Certificate certificate = (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded));
            return new MemberCertificate(pair.getPrivate(), certificate);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot make a certificate: this Java lacks ECDSA over P-256.", e);
        }
    }

    /**
     * Checks that a member created a certificate.
     *
     * @throws CertificateException if its subject does not prove that its creator knows one of the
     *     secrets
     */
    static void check(List<PeerSecret> secrets, X509Certificate certificate) throws CertificateException {
        byte[] subject = certificate.getSubjectX500Principal().getName().getBytes(StandardCharsets.UTF_8);
        PublicKey key = certificate.getPublicKey();
        boolean isMembers = secrets.stream()
                .map(secret -> ("CN=" + proof(secret, key)).getBytes(StandardCharsets.UTF_8))
                .anyMatch(expected -> MessageDigest.isEqual(expected, subject));
        if (!isMembers) {
            throw new CertificateException("the certificate was not made with the members' secret");
        }
    }

    private static String proof(PeerSecret secret, PublicKey key) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(secret.forPurpose(PURPOSE).mac(key.getEncoded()));
    }

    private static byte[] encode(KeyPair pair, String commonName) throws GeneralSecurityException {
        byte[] algorithm = sequence(der(OBJECT_IDENTIFIER, ECDSA_WITH_SHA256));
        byte[] name = sequence(der(
                SET,
                sequence(
                        der(OBJECT_IDENTIFIER, COMMON_NAME),
                        der(UTF8_STRING, commonName.getBytes(StandardCharsets.UTF_8)))));
        byte[] serial = der(INTEGER, new byte[] {1});
        // Version 1, since there are no extensions. It is the default and thus not encoded.
        byte[] body = sequence(
                serial, algorithm, name, VALIDITY, name, pair.getPublic().getEncoded());
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(pair.getPrivate());
        signature.update(body);
        return sequence(body, algorithm, der(BIT_STRING, join(new byte[] {0}, signature.sign())));
    }

    private static byte[] sequence(byte[]... parts) {
        return der(SEQUENCE, join(parts));
    }

    /** Tag, length and value. Lengths of 128 and more are preceded by the number of their bytes. */
    private static byte[] der(int tag, byte[] value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (value.length < 0x80) {
            out.write(value.length);
        } else if (value.length < 0x100) {
            out.write(0x81);
            out.write(value.length);
        } else {
            out.write(0x82);
            out.write(value.length >> 8);
            out.write(value.length);
        }
        out.writeBytes(value);
        return out.toByteArray();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String toString() {
        return "the certificate of a member";
    }
}
