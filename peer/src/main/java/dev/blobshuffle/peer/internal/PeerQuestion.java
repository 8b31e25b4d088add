package dev.blobshuffle.peer.internal;

/** What a member asks another one. */
interface PeerQuestion {
    /** Writes the HTTP request and signs it. */
    RequestProof.Signed write(RequestProof.Signing signing);
}
