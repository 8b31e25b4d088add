package dev.blobshuffle.kstreams.keyparallel;

/** What becomes of a record whose call failed for good. */
public enum FailureAction {
    /**
     * Kafka Streams' {@code processing.exception.handler} decides, as if a synchronous processor
     * had thrown the exception: it is given the failed record's own topic, partition, offset,
     * headers and bytes, and its dead-letter records are sent in the transaction of the commit. By
     * default that handler ends the thread.
     */
    HANDLER,

    /** The thread ends; whatever handler is set. Nothing is committed beyond the last commit. */
    FAIL,

    /** The record is dropped, with a count in the metrics. */
    SKIP
}
