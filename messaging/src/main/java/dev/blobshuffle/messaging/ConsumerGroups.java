package dev.blobshuffle.messaging;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The consumer groups of a log. Thread-safe. Each call queries the log, and throws
 * {@code LogUnavailableException} if the log does not answer.
 */
public interface ConsumerGroups {
    /** The names of all groups. */
    List<String> list();

    /** The current state of a group; empty: it does not exist. */
    Optional<ConsumerGroup> describe(String name);

    /**
     * Moves a group in a topic to the first records committed at or after a time.
     *
     * @throws IllegalStateException the group has a member: stop it first
     */
    void seek(String name, String topic, Instant time);

    /**
     * Deletes a group and its positions.
     *
     * @return whether there was such a group
     * @throws IllegalStateException the group has a member: stop it first
     */
    boolean delete(String name);

    /**
     * A consumer group.
     *
     * @param name its name
     * @param members the zones of its members by their ids
     * @param partitions its progress in each partition
     */
    record ConsumerGroup(String name, Map<String, String> members, Map<TopicPartition, Progress> partitions) {}

    /**
     * The progress of a group in a partition.
     *
     * @param owner the member that reads it; empty: none
     * @param position the committed position; empty: none
     * @param lag number of the topic's batches after the position; empty: the group has no position
     */
    record Progress(Optional<String> owner, OptionalLong position, OptionalLong lag) {}
}
