package dev.blobshuffle.peer.internal.trust;

/**
 * The proof that a request without TLS demands of its answer.
 *
 * @param nonce never used before by this client
 * @param isSealed whether the answer's content needs a MAC
 */
public record PeerChallenge(String nonce, boolean isSealed) {
    static final String SEALED = "content ";
    private static final String PLAIN = "head ";

    /** The value of the challenge's HTTP header. */
    String text() {
        return (isSealed ? SEALED : PLAIN) + nonce;
    }
}
