package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.messaging.UnreadableRecord;

/** Ends a drain before a record that cannot be deserialized. */
final class UnreadableStop extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient PartitionReading partition;
    private final UnreadableRecord failure;

    UnreadableStop(PartitionReading partition, UnreadableRecord failure) {
        super(failure.getMessage(), failure, false, false);
        this.partition = partition;
        this.failure = failure;
    }

    PartitionReading partition() {
        return partition;
    }

    UnreadableRecord failure() {
        return failure;
    }
}
