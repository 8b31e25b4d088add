package dev.blobshuffle.kstreams.keyparallel.calls;

/** Which calls may overlap, and in which order results leave. */
public enum Ordering {
    /**
     * Calls of a key follow each other, and so do their results. Keys overlap. A key has at most
     * one call at a time, so no more than 1 / latency of them per second.
     */
    KEY,

    /**
     * All calls may overlap; the results of a key leave in the order of its records. For functions
     * that keep no state per key.
     */
    KEY_OUTPUT,

    /**
     * All calls may overlap; results leave in the order of the partition: nodes downstream see what
     * a synchronous processor would have sent.
     */
    PARTITION,

    /** All calls may overlap; results leave as they come. */
    UNORDERED
}
