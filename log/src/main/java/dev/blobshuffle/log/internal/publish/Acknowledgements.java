package dev.blobshuffle.log.internal.publish;

import dev.blobshuffle.core.internal.format.Partition;

/**
 * Receives the outcomes of a lane's records. The channel takes records in append order per
 * partition: the first n untaken records belong to the segment. Thread-safe.
 */
public interface Acknowledgements {
    /** Takes the records of a segment that the channel is about to commit. */
    Taken take(Partition partition, int records);

    /** Called when the records that the channel has not taken are lost. Must not block. */
    void failed(RuntimeException cause);

    /** The records of one segment. Exactly one method is called, once, from any thread. */
    interface Taken {
        /** They are committed. */
        void committed();

        /**
         * They are not committed, unless the cause is {@code OutcomeUnknownException}: then they
         * may be committed now or later.
         */
        void failed(RuntimeException cause);
    }
}
