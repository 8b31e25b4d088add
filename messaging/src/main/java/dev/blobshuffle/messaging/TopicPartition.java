package dev.blobshuffle.messaging;

/**
 * A partition of a topic.
 *
 * @param topic the topic's name
 * @param partition its number, from 0
 */
public record TopicPartition(String topic, int partition) {
    @Override
    public String toString() {
        return topic + "-" + partition;
    }
}
