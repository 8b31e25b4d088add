package dev.blobshuffle.kstreams.keyparallel;

/** The handling of a record whose call has finally failed. */
public enum FailureAction {
    /**
     * Kafka Streams' {@code processing.exception.handler} decides, as if a synchronous processor
     * had thrown the exception. The handler gets the failed record's own topic, partition, offset,
     * headers and bytes. Its dead-letter records are sent in the commit's transaction. By default
     * that handler ends the thread.
     */
    HANDLER,

    /** The thread ends, regardless of the handler. Nothing after the last commit is committed. */
    FAIL,

    /** The record is dropped and counted in the metrics. */
    SKIP
}
