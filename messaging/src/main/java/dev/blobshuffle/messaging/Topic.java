package dev.blobshuffle.messaging;

import dev.blobshuffle.log.internal.LogName;
import dev.blobshuffle.log.internal.LogTopic;
import java.time.Duration;
import java.util.Optional;

/**
 * A topic, to be created or as it is.
 *
 * @param name its name, 1 to 500 bytes in UTF-8
 * @param partitions its number of partitions, 1 to 100,000
 * @param retention how long it keeps records; with {@code isKeptUntilConsumed} the time after which
 *     a group without members counts as abandoned
 * @param isKeptUntilConsumed whether it keeps records until all groups have read them; otherwise,
 *     and without a time, it keeps them for ever
 */
public record Topic(String name, int partitions, Optional<Duration> retention, boolean isKeptUntilConsumed) {
    /** Checks the values. */
    public Topic {
        String ignored = LogName.check("topic", name);
        boolean isLegal = retention.isEmpty()
                || (!retention.get().isNegative() && !retention.get().isZero());
        if (partitions < 1 || partitions > LogTopic.MAX_PARTITIONS || !isLegal) {
            throw new IllegalArgumentException("Cannot describe topic '" + name + "': " + partitions
                    + " partitions, retention " + retention + ". Use 1 to " + LogTopic.MAX_PARTITIONS
                    + " partitions and 1 ms or more.");
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

    /**
     * The same, not waiting for groups that had no member for a time. Without it, a group that is
     * not used any more keeps records until it is deleted.
     */
    public Topic keptUntilConsumed(Duration abandoned) {
        return new Topic(name, partitions, Optional.of(abandoned), true);
    }
}
