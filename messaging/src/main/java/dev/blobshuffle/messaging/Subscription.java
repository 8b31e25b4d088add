package dev.blobshuffle.messaging;

import dev.blobshuffle.log.internal.LogName;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The options of a subscriber.
 *
 * @param group the consumer group, 1 to 500 bytes in UTF-8; each record goes to one of its members
 * @param topics the topics, which must exist
 * @param reset where a new group begins
 * @param maxRecords the most records of a poll
 * @param deadLetters the topic for records that cannot be deserialized; empty: the poll fails
 * @param listener receives changes of partitions
 * @param maxPollInterval the longest time between two polls; after it, the subscriber leaves the
 *     group, and its partitions go to others. It joins again with its next poll. As Kafka's
 *     {@code max.poll.interval.ms}
 */
public record Subscription(
        String group,
        Set<String> topics,
        ResetPolicy reset,
        int maxRecords,
        Optional<String> deadLetters,
        RebalanceListener listener,
        Duration maxPollInterval) {
    private static final int MAX_RECORDS = 500;
    private static final Duration MAX_POLL_INTERVAL = Duration.ofMinutes(5);
    private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);
    private static final Duration LONGEST_INTERVAL = Duration.ofDays(365);

    /** Checks group, topics and number. */
    public Subscription {
        Objects.requireNonNull(reset, "reset");
        Objects.requireNonNull(listener, "listener");
        topics = Set.copyOf(topics);
        String ignored = LogName.check("group", group);
        topics.forEach(topic -> LogName.check("topic", topic));
        deadLetters.ifPresent(topic -> LogName.check("topic", topic));
        if (topics.isEmpty() || maxRecords < 1) {
            throw new IllegalArgumentException("Cannot subscribe: group '" + group + "', topics " + topics
                    + ", at most " + maxRecords + " records. Name a topic, and ask for 1 record or more.");
        }
        if (maxPollInterval.compareTo(SHORTEST_INTERVAL) < 0 || maxPollInterval.compareTo(LONGEST_INTERVAL) > 0) {
            throw new IllegalArgumentException("Cannot subscribe with a maxPollInterval of "
                    + maxPollInterval.toMillis() + " ms. Give 1 second to 365 days.");
        }
    }

    /** Reads topics as a group; a new group begins at the start. */
    public static Subscription of(String group, String... topics) {
        return new Subscription(
                group,
                Set.of(topics),
                ResetPolicy.EARLIEST,
                MAX_RECORDS,
                Optional.empty(),
                RebalanceListener.NONE,
                MAX_POLL_INTERVAL);
    }

    /** A copy with another reset policy. */
    public Subscription reset(ResetPolicy policy) {
        return new Subscription(group, topics, policy, maxRecords, deadLetters, listener, maxPollInterval);
    }

    /** A copy with another number of records per poll. */
    public Subscription maxRecords(int records) {
        return new Subscription(group, topics, reset, records, deadLetters, listener, maxPollInterval);
    }

    /** A copy with a topic for records that cannot be deserialized. */
    public Subscription deadLetters(String topic) {
        return new Subscription(group, topics, reset, maxRecords, Optional.of(topic), listener, maxPollInterval);
    }

    /** A copy with a listener. */
    public Subscription listener(RebalanceListener rebalances) {
        return new Subscription(group, topics, reset, maxRecords, deadLetters, rebalances, maxPollInterval);
    }

    /** A copy with another longest time between two polls, 1 second to 365 days. */
    public Subscription maxPollInterval(Duration interval) {
        return new Subscription(group, topics, reset, maxRecords, deadLetters, listener, interval);
    }
}
