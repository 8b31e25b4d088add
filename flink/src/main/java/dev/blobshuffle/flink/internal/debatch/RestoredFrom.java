package dev.blobshuffle.flink.internal.debatch;

import dev.blobshuffle.core.failure.BlobMissingException;
import java.util.OptionalLong;

/**
 * The checkpoint that a subtask was restored from, for messages: a missing blob may be one that the
 * checkpoint refers to. Immutable.
 *
 * @param checkpoint its id; empty if the job began without one
 */
record RestoredFrom(OptionalLong checkpoint) {
    /** The state of a job that has not begun. */
    static final RestoredFrom NOTHING = new RestoredFrom(OptionalLong.empty());

    /** The same failure, with a message that names the checkpoint and the remedy. */
    BlobMissingException explain(BlobMissingException failure) {
        return checkpoint.isEmpty()
                ? failure
                : new BlobMissingException(
                        failure.getMessage() + " The job was restored from checkpoint " + checkpoint.getAsLong()
                                + ", which may refer to this blob. If the blob was deleted, restore a newer"
                                + " checkpoint, or a savepoint, which holds records instead of references.",
                        failure);
    }
}
