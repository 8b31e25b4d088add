package dev.blobshuffle.peer.internal.trust;

import dev.blobshuffle.core.internal.membership.PeerSecret;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;

/**
 * The proof of an answer without TLS. It shows that the sender knows the secret. For a sealed
 * answer, it also shows that no byte was changed. Both cover the request with its nonce, so an
 * answer cannot be replayed. Immutable.
 *
 * @param key signs only answers
 * @param request the text that the request's own proof covers, including its challenge
 * @param isSealed whether the MAC of the content follows the content
 */
public record AnswerProof(PeerSecret key, String request, boolean isSealed) {
    /** The name of the HTTP header whose value {@link #header} creates. */
    public static final String HEADER = "blobshuffle-proof";

    /** Bytes that follow the content of a sealed answer. */
    static final int SEAL_LENGTH = PeerSecret.PROOF_LENGTH;

    /**
     * The header's value. Interim answers and refusals have one too.
     *
     * @param status the HTTP status of the answer
     * @param turn the value of the header {@link RequestProof#TURN}; empty if the answer has none
     */
    public String header(int status, String turn) {
        byte[] proof = key.mac((request + "\n" + status + "\n" + turn).getBytes(StandardCharsets.UTF_8));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(proof);
    }

    public boolean accepts(int status, String turn, String header) {
        return MessageDigest.isEqual(
                header(status, turn).getBytes(StandardCharsets.US_ASCII), header.getBytes(StandardCharsets.UTF_8));
    }

    /** Number of bytes that follow the content. */
    public int sealLength() {
        return isSealed ? SEAL_LENGTH : 0;
    }

    /** Starts the MAC of a sealed answer. */
    public Mac seal() {
        return mac("content");
    }

    /** The MAC of the request's own body, as the value of {@link RequestProof#BODY_PROOF}. */
    public String body(List<ByteBuffer> bytes) {
        Mac mac = mac("body");
        bytes.forEach(mac::update);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal());
    }

    private Mac mac(String purpose) {
        Mac mac = key.begin();
        mac.update((request + "\n" + purpose + "\n").getBytes(StandardCharsets.UTF_8));
        return mac;
    }

    /** Whether the bytes from {@code length} on are the seal of the bytes before. */
    public boolean accepts(byte[] bytes, int length) {
        Mac mac = seal();
        mac.update(bytes, 0, length);
        byte[] seal = new byte[SEAL_LENGTH];
        System.arraycopy(bytes, length, seal, 0, SEAL_LENGTH);
        return MessageDigest.isEqual(mac.doFinal(), seal);
    }
}
