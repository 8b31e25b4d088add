package dev.blobshuffle.peer.internal;

/** A request to another member. */
interface PeerQuestion {
    /** Writes the HTTP request and signs it. */
    RequestProof.Signed write(RequestProof.Signing signing);
}
