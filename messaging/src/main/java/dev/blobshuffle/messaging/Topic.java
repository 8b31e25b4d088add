package dev.blobshuffle.messaging;

import dev.blobshuffle.log.internal.LogName;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import java.time.Duration;
import java.util.Optional;

/**
 * The definition of a topic.
 *
 * @param name its name, 1 to 500 bytes in UTF-8
 * @param partitions its number of partitions, 1 to 100,000
 * @param retention how long it keeps records, 1 ms to 36,500 days; with
 *     {@code isKeptUntilConsumed} the time after which a group without members counts as abandoned
 * @param isKeptUntilConsumed whether it keeps records until all groups have read them; otherwise,
 *     and without a time, it keeps them for ever
 */
public record Topic(String name, int partitions, Optional<Duration> retention, boolean isKeptUntilConsumed) {
    /** Checks the values. */
    public Topic {
        String ignored = LogName.check("topic", name);
        boolean isLegal = retention.isEmpty() || RetentionRule.isLegal(retention.get());
        if (partitions < 1 || partitions > LogTopic.MAX_PARTITIONS || !isLegal) {
            throw new IllegalArgumentException("Cannot describe topic '" + name + "': " + partitions
                    + " partitions, retention "
                    + retention.map(Duration::toString).orElse("none") + ". Use 1 to "
                    + LogTopic.MAX_PARTITIONS + " partitions, and 1 ms to 36,500 days or no time.");
        }
    }

    /** A topic of one partition that keeps records for ever. */
    public static Topic named(String name) {
        return new Topic(name, 1, Optional.empty(), false);
    }

    /** A copy with another number of partitions. */
    public Topic partitions(int number) {
        return new Topic(name, number, retention, isKeptUntilConsumed);
    }

    /** A copy that keeps records for a time. */
    public Topic retention(Duration time) {
        return new Topic(name, partitions, Optional.of(time), false);
    }

    /** A copy that keeps records until every group that has read the topic has committed them. */
    public Topic keptUntilConsumed() {
        return new Topic(name, partitions, Optional.empty(), true);
    }

    /**
     * A copy that keeps records until consumed, and ignores groups without a member for a time.
     * Without that limit, an unused group keeps records until it is deleted.
     */
    public Topic keptUntilConsumed(Duration abandoned) {
        return new Topic(name, partitions, Optional.of(abandoned), true);
    }
}
