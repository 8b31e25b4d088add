package dev.blobshuffle.peer.internal;

/** A request to another member. */
interface PeerQuestion {
    /** Writes the HTTP request and signs it. */
    RequestProof.Signed write(RequestProof.Signing signing);

    /** A written request has left, or will not leave: its bytes are no longer read. */
    default void written() {}
}
