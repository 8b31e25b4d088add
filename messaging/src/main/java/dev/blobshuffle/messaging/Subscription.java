package dev.blobshuffle.messaging;

import dev.blobshuffle.log.internal.LogName;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** The options of a subscriber. Immutable: each method that sets an option returns a copy. */
public final class Subscription {
    private static final int MAX_RECORDS = 500;
    private static final Duration MAX_POLL_INTERVAL = Duration.ofMinutes(5);
    private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);
    private static final Duration LONGEST_INTERVAL = Duration.ofDays(365);

    private final String group;
    private final Set<String> topics;
    private final ResetPolicy reset;
    private final int maxRecords;
    private final Optional<String> deadLetters;
    private final RebalanceListener listener;
    private final Duration maxPollInterval;

    private Subscription(Builder builder) {
        group = builder.group;
        topics = builder.topics;
        reset = builder.reset;
        maxRecords = builder.maxRecords;
        deadLetters = builder.deadLetters;
        listener = builder.listener;
        maxPollInterval = builder.maxPollInterval;
        Objects.requireNonNull(reset, "reset");
        Objects.requireNonNull(listener, "listener");
        String ignored = LogName.check("group", group);
        topics.forEach(topic -> LogName.check("topic", topic));
        deadLetters.ifPresent(topic -> LogName.check("topic", topic));
        if (deadLetters.filter(topics::contains).isPresent()) {
            throw new IllegalArgumentException("Cannot subscribe: group '" + group + "' reads topic '"
                    + deadLetters.get() + "', so its dead letters would come back. Name another topic for them.");
        }
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
        return new Subscription(new Builder(group, Set.of(topics)));
    }

    /** A copy with another reset policy. */
    public Subscription reset(ResetPolicy policy) {
        return with(builder -> builder.reset = policy);
    }

    /** A copy with another number of records per poll. */
    public Subscription maxRecords(int records) {
        return with(builder -> builder.maxRecords = records);
    }

    /**
     * A copy with a topic for records that cannot be deserialized. The topic exists, and is not one
     * of the subscription's.
     */
    public Subscription deadLetters(String topic) {
        return with(builder -> builder.deadLetters = Optional.of(topic));
    }

    /** A copy with a listener. */
    public Subscription listener(RebalanceListener rebalances) {
        return with(builder -> builder.listener = rebalances);
    }

    /** A copy with another longest time between two polls, 1 second to 365 days. */
    public Subscription maxPollInterval(Duration interval) {
        return with(builder -> builder.maxPollInterval = interval);
    }

    private Subscription with(Consumer<Builder> change) {
        Builder builder = new Builder(group, topics);
        builder.reset = reset;
        builder.maxRecords = maxRecords;
        builder.deadLetters = deadLetters;
        builder.listener = listener;
        builder.maxPollInterval = maxPollInterval;
        change.accept(builder);
        return new Subscription(builder);
    }

    /** The consumer group, 1 to 500 bytes in UTF-8; each record goes to one of its members. */
    public String group() {
        return group;
    }

    /** The topics, which must exist. */
    public Set<String> topics() {
        return topics;
    }

    /** Where a new group begins. */
    public ResetPolicy reset() {
        return reset;
    }

    /** The most records of a poll. */
    public int maxRecords() {
        return maxRecords;
    }

    /** The topic for records that cannot be deserialized; empty: the poll fails. */
    public Optional<String> deadLetters() {
        return deadLetters;
    }

    /** Receives changes of partitions. */
    public RebalanceListener listener() {
        return listener;
    }

    /**
     * The longest time between two polls; after it, the subscriber leaves the group, and its
     * partitions go to others. It joins again with its next poll. As Kafka's
     * {@code max.poll.interval.ms}.
     */
    public Duration maxPollInterval() {
        return maxPollInterval;
    }

    /** The values of a copy before they are checked. */
    private static final class Builder {
        private final String group;
        private final Set<String> topics;
        private ResetPolicy reset = ResetPolicy.EARLIEST;
        private int maxRecords = MAX_RECORDS;
        private Optional<String> deadLetters = Optional.empty();
        private RebalanceListener listener = RebalanceListener.NONE;
        private Duration maxPollInterval = MAX_POLL_INTERVAL;

        Builder(String group, Set<String> topics) {
            this.group = group;
            this.topics = topics;
        }
    }
}
