package dev.blobshuffle.kstreams.internal.calls;

/** The limit that keeps a node from finishing more records per second. */
public enum LimitReason {
    /** No record waits: more input, or a faster service, would raise the throughput. */
    INPUT,
    /** Records wait although calls are free: each is behind another record of its key. */
    KEY_ORDER,
    /** The maximum number of calls is running. */
    CONCURRENCY,
    /**
     * The maximum number of results waits for an earlier one, or the maximum of bytes is in use.
     */
    BUDGET
}
