package dev.blobshuffle.kstreams.keyparallel.calls;

/** Which calls may overlap, and in which order results leave. */
public enum Ordering {
    /**
     * Calls of a key run one after another, and so do their results. Calls of different keys
     * overlap. A key has at most one call at a time, so at most 1 / latency calls per second.
     */
    KEY,

    /**
     * All calls may overlap; the results of a key leave in the order of its records. For functions
     * without state per key.
     */
    KEY_OUTPUT,

    /**
     * All calls may overlap; results leave in the order of the partition, so downstream nodes see
     * what a synchronous processor would have sent.
     */
    PARTITION,

    /** All calls may overlap; results leave as they arrive. */
    UNORDERED
}
