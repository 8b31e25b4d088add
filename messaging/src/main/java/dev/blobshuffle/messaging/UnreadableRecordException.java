package dev.blobshuffle.messaging;

/**
 * A record cannot be deserialized, and the subscription has no topic for dead letters. Each poll
 * throws this until you repair the serde, or seek past the record, to {@link #position()} + 1.
 */
public final class UnreadableRecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int partition;
    private final long position;

    /** A failure at a position, with the exception of the serde. */
    public UnreadableRecordException(TopicPartition partition, long position, Throwable cause) {
        super(
                "Cannot deserialize the record of " + partition + " at position " + position
                        + ": its serde failed. Repair the serde, name a topic for dead letters, or seek past it.",
                cause);
        this.topic = partition.topic();
        this.partition = partition.partition();
        this.position = position;
    }

    /** The record's partition. */
    public TopicPartition partition() {
        return new TopicPartition(topic, partition);
    }

    /** The record's position. */
    public long position() {
        return position;
    }
}
