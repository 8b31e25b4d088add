package dev.blobshuffle.core.internal.resilience;

/**
 * The kinds of requests. Each kind has its own limits, budgets and circuit, so that none starves
 * another.
 */
enum Kind {
    /** Puts of blobs. */
    PUT,
    /** Reads of ranges. */
    GET,
    /** Deletes and listings. */
    OTHER
}
