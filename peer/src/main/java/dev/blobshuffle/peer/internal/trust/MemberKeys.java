package dev.blobshuffle.peer.internal.trust;

import dev.blobshuffle.core.internal.membership.PeerSecret;

/**
 * The keys of one secret.
 *
 * @param requests signs requests
 * @param answers signs answers without TLS
 */
public record MemberKeys(PeerSecret requests, PeerSecret answers) {
    private static final String ANSWERS = "blobshuffle answer 2";

    public static MemberKeys of(PeerSecret secret) {
        return new MemberKeys(secret, secret.forPurpose(ANSWERS));
    }
}
