package dev.blobshuffle.messaging;

import java.time.Duration;
import java.util.Optional;

/**
 * A topic, to be created or as it is.
 *
 * @param name its name
 * @param partitions its number of partitions, 1 or more
 * @param retention how long it keeps records; empty: as {@code isKeptUntilConsumed} says
 * @param isKeptUntilConsumed whether it keeps records until all groups have read them; otherwise,
 *     and without a time, it keeps them for ever
 */
public record Topic(String name, int partitions, Optional<Duration> retention, boolean isKeptUntilConsumed) {
    /** Checks the values. */
    public Topic {
        boolean isLegal = retention.isEmpty()
                || (!isKeptUntilConsumed
                        && !retention.get().isNegative()
                        && !retention.get().isZero());
        if (name.isBlank() || partitions < 1 || !isLegal) {
            throw new IllegalArgumentException("Cannot describe a topic: name '" + name + "', " + partitions
                    + " partitions, retention " + retention + ". Name it, and use 1 partition and 1 ms or more.");
        }
    }

    /** A topic of one partition that keeps records for ever. */
    public static Topic named(String name) {
        return new Topic(name, 1, Optional.empty(), false);
    }

    /** The same with another number of partitions. */
    public Topic partitions(int number) {
        return new Topic(name, number, retention, isKeptUntilConsumed);
    }

    /** The same, keeping records for a time. */
    public Topic retention(Duration time) {
        return new Topic(name, partitions, Optional.of(time), false);
    }

    /** The same, keeping records until every group that has read the topic has committed them. */
    public Topic keptUntilConsumed() {
        return new Topic(name, partitions, Optional.empty(), true);
    }
}
