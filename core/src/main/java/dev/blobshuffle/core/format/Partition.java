package dev.blobshuffle.core.format;

/**
 * One ordered stream of records: a partition of a topic of the engine's channel.
 *
 * @param topic the topic's name; never blank
 * @param number the partition's number, 0 or more
 */
public record Partition(String topic, int number) {
    /** Checks both parts. */
    public Partition {
        if (topic.isBlank() || number < 0) {
            throw new IllegalArgumentException(
                    "Cannot name a partition: topic '" + topic + "', number " + number + ".");
        }
    }

    @Override
    public String toString() {
        return topic + "-" + number;
    }
}
