package dev.blobshuffle.peer.internal.message;

import dev.blobshuffle.peer.internal.trust.RequestProof;

/** A request to another member. */
public interface PeerQuestion {
    /** Writes the HTTP request and signs it. */
    RequestProof.Signed write(RequestProof.Signing signing);

    /** A written request has left, or will not leave: its bytes are no longer read. */
    default void written() {}
}
