package dev.blobshuffle.log.internal.group;

/**
 * A partition of a topic.
 *
 * @param topic the topic's number
 * @param partition the partition's number, from 0
 */
public record LogPartition(int topic, int partition) implements Comparable<LogPartition> {
    @Override
    public int compareTo(LogPartition other) {
        int byTopic = Integer.compare(topic, other.topic);
        return byTopic != 0 ? byTopic : Integer.compare(partition, other.partition);
    }
}
