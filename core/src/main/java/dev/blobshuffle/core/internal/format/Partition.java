package dev.blobshuffle.core.internal.format;

/**
 * One ordered sequence of records: a partition of a stream. A stream is what the front door's
 * engine calls a topic, an exchange or a shuffle.
 *
 * @param stream the stream's name, such as a Kafka topic's; never blank
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
