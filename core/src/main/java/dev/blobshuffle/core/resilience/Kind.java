package dev.blobshuffle.core.resilience;

/** What requests are told apart by: each kind has limits, budgets and a circuit of its own, so that none starves another. */
enum Kind {
    /** Puts of blobs. */
    PUT,
    /** Reads of ranges. */
    GET,
    /** Deletes and listings. */
    OTHER
}
