package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.messaging.UnreadableRecordException;

/** Ends a drain before a record that cannot be deserialized. */
final class UnreadableStopException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient PartitionReading partition;
    private final UnreadableRecordException failure;

    UnreadableStopException(PartitionReading partition, UnreadableRecordException failure) {
        super(failure.getMessage(), failure, false, false);
        this.partition = partition;
        this.failure = failure;
    }

    PartitionReading partition() {
        return partition;
    }

    UnreadableRecordException failure() {
        return failure;
    }
}
