package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code enable.auto.commit}, taken over from the real consumer, which would commit what it handed
 * to us rather than what we handed out. Commits the positions as the last {@code poll} left them,
 * at each interval and when partitions go. Owned by the consumer's thread.
 */
public final class AutoCommit {
    private static final Logger LOG = LoggerFactory.getLogger(AutoCommit.class);

    /** The longest wait when partitions go. */
    private static final Duration LAST_COMMIT = Duration.ofSeconds(10);

    private final @Nullable Duration interval;
    private final OffsetQueries queries;
    private final OffsetCommits commits;
    private final Runnable wakeup;
    private final Time time;
    private long next;

    /**
     * An auto-commit.
     *
     * @param interval null: off
     * @param wakeup wakes the real consumer up again, when a commit has swallowed a wakeup that was
     *     meant for a poll
     */
    public AutoCommit(
            @Nullable Duration interval, OffsetQueries queries, OffsetCommits commits, Runnable wakeup, Time time) {
        this.interval = interval;
        this.queries = queries;
        this.commits = commits;
        this.wakeup = wakeup;
        this.time = time;
        this.next = interval == null ? 0 : time.nanos() + interval.toNanos();
    }

    /** At the start of a poll: the application is done with what the last one returned. */
    public void beforePoll() {
        if (interval != null && time.nanos() - next >= 0) {
            withoutWaiting();
        }
    }

    /** Commits the positions in the background. */
    public void withoutWaiting() {
        if (interval == null) {
            return;
        }
        next = time.nanos() + interval.toNanos();
        Map<TopicPartition, OffsetAndMetadata> positions = queries.positions();
        if (!positions.isEmpty()) {
            commits.async(positions, (offsets, failure) -> {
                if (failure != null) {
                    LOG.warn("Auto-commit failed; the next one commits more: {}", failure.toString());
                }
            });
        }
    }

    /**
     * Commits the positions before partitions go. A failure means that their records are delivered
     * again. A wakeup or an interrupt is meant for the call around this one: it is left pending,
     * and the partitions go all the same.
     */
    public void beforePartitionsGo() {
        if (interval == null) {
            return;
        }
        try {
            Map<TopicPartition, OffsetAndMetadata> positions = queries.positions();
            if (!positions.isEmpty()) {
                commitLast(positions);
            }
        } catch (KafkaException e) {
            // After an interrupt Kafka has set the thread's flag again, so that the call around
            // this one ends by it.
            LOG.warn(
                    "Auto-commit before partitions go failed; their next owner delivers some records again: {}",
                    e.toString());
        }
    }

    /** Kafka's own auto-commit does not hear wakeups either. */
    private void commitLast(Map<TopicPartition, OffsetAndMetadata> positions) {
        try {
            commits.sync(positions, LAST_COMMIT);
        } catch (WakeupException e) {
            try {
                commits.sync(positions, LAST_COMMIT);
            } finally {
                wakeup.run();
            }
        }
    }
}
