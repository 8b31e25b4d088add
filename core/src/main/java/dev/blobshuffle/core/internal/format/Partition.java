package dev.blobshuffle.core.internal.format;

/**
 * A partition of a stream: one ordered sequence of records. The front door's engine calls a stream
 * a topic, an exchange or a shuffle.
 *
 * @param stream the stream's name, such as the name of a Kafka topic; never blank
 * @param number the partition's number, 0 or more
 */
public record Partition(String stream, int number) {
    /** Checks both parts. */
    public Partition {
        if (stream.isBlank() || number < 0) {
            throw new IllegalArgumentException(
                    "Cannot name a partition: stream '" + stream + "', number " + number + ".");
        }
    }

    @Override
    public String toString() {
        return stream + "-" + number;
    }
}
