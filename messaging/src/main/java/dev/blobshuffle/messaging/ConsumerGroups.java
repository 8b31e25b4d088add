package dev.blobshuffle.messaging;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The consumer groups of a log. Thread-safe. Each call asks the log, and throws {@code
 * LogUnavailable} if it does not answer.
 */
public interface ConsumerGroups {
    /** The names of all groups. */
    List<String> list();

    /** A group as it is now; empty: it does not exist. */
    Optional<ConsumerGroup> describe(String name);

    /**
     * Moves a group in a topic to the first records committed at a time or later.
     *
     * @throws IllegalStateException the group has a member: stop it first
     */
    void seek(String name, String topic, Instant time);

    /**
     * Deletes a group and its positions.
     *
     * @return whether there was one
     * @throws IllegalStateException the group has a member: stop it first
     */
    boolean delete(String name);

    /**
     * A consumer group.
     *
     * @param name its name
     * @param members the zones of its members by their ids
     * @param partitions where it is in each partition
     */
    record ConsumerGroup(String name, Map<String, String> members, Map<TopicPartition, Progress> partitions) {}

    /**
     * How far a group is in a partition.
     *
     * @param owner the member that reads it; empty: none
     * @param position the committed position; empty: none
     * @param lag batches of the topic after it; empty: the group has no position
     */
    record Progress(Optional<String> owner, OptionalLong position, OptionalLong lag) {}
}
