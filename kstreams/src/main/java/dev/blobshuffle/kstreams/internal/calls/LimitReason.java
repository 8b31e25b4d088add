package dev.blobshuffle.kstreams.internal.calls;

/** What keeps a node from finishing more records per second. */
public enum LimitReason {
    /** No record waits: more would be done if more came, or if the service were faster. */
    INPUT,
    /** Records wait although calls are free: each is behind another one of its key. */
    KEY_ORDER,
    /** As many calls are under way as may be. */
    CONCURRENCY,
    /** As many results wait for one before them, or as many bytes are held, as may be. */
    BUDGET
}
