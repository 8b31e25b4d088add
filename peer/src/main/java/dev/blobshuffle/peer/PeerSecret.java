package dev.blobshuffle.peer;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.settings.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What members prove to know, without telling it: each request carries the HMAC-SHA256 (RFC 2104) of its first line and of what it asks for. Who overhears a
 * request can only repeat it, and gets what he overheard. Immutable; the secret is in no text.
 */
public final class PeerSecret {
    private static final String SCHEME = "BlobShuffle ";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int LEAST_BYTES = 16;
    private static final int MOST_BYTES = 4096;

    /** Finding the algorithm costs more than signing. */
    private final ThreadLocal<Mac> macs;

    /**
     * A secret.
     *
     * @param bytes 16 or more
     * @throws InvalidSettings fatal: it is shorter
     */
    public PeerSecret(byte[] bytes) {
        if (bytes.length < LEAST_BYTES) {
            throw new InvalidSettings("Cannot use a secret of " + bytes.length + " bytes: it could be guessed. Give "
                    + LEAST_BYTES + " or more, for example of: openssl rand -base64 32.");
        }
        SecretKeySpec key = new SecretKeySpec(bytes, ALGORITHM);
        macs = ThreadLocal.withInitial(() -> mac(key));
    }

    /**
     * Reads a secret from a file; white space around it does not count.
     *
     * @throws InvalidSettings fatal: it cannot be read, or is too short
     */
    static PeerSecret read(Path file) {
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new InvalidSettings("Cannot use " + file + " as a secret: it has more than " + MOST_BYTES
                        + " bytes. Give the right file.");
            }
            // Latin 1 keeps every byte as it is.
            String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).strip();
            return new PeerSecret(text.getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw new InvalidSettings(
                    "Cannot read the secret: " + e + ". Give " + Settings.PEER_SECRET_FILE
                            + " a file that can be read.",
                    e);
        }
    }

    /** The value of the header that proves a request. */
    String sign(String request) {
        return SCHEME + Base64.getUrlEncoder().withoutPadding().encodeToString(mac(request));
    }

    /** Whether a header proves a request. Takes the same time wherever it is wrong. */
    boolean accepts(String request, String header) {
        return MessageDigest.isEqual(
                sign(request).getBytes(StandardCharsets.US_ASCII), header.getBytes(StandardCharsets.UTF_8));
    }

    private byte[] mac(String request) {
        return macs.get().doFinal(request.getBytes(StandardCharsets.UTF_8));
    }

    private static Mac mac(SecretKeySpec key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(
                    "Cannot sign a request: every Java has " + ALGORITHM + ", but not this one.", e);
        }
    }

    @Override
    public String toString() {
        return "a secret";
    }
}
