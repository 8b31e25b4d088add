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
 * Implements {@code enable.auto.commit}. The real consumer would commit the records that it has
 * returned to this client, not those that this client has returned to the application. Commits the
 * positions after the last {@code poll}, at each interval and when a rebalance or {@code close}
 * revokes partitions. Owned by the consumer's thread.
 */
public final class AutoCommit {
    private static final Logger LOG = LoggerFactory.getLogger(AutoCommit.class);

    /** The longest wait for the commit before a revocation. */
    private static final Duration LAST_COMMIT = Duration.ofSeconds(10);

    private final @Nullable Duration interval;
    private final OffsetQueries queries;
    private final OffsetCommits commits;
    private final Runnable wakeup;
    private final Time time;
    private long next;
    private boolean isUnsubscribing;

    /**
     * An auto-commit.
     *
     * @param interval null: off
     * @param wakeup wakes the real consumer up again, if a commit has consumed a wakeup for a poll
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

    /**
     * Commits if the interval has passed. Called at the start of a poll, when the application has
     * processed what the last poll returned, and before another assignment, as Kafka's consumer
     * does.
     */
    public void ifDue() {
        if (interval == null || time.nanos() - next < 0) {
            return;
        }
        next = time.nanos() + interval.toNanos();
        Map<TopicPartition, OffsetAndMetadata> positions = queries.positions();
        if (!positions.isEmpty()) {
            commits.async(positions, (offsets, failure) -> {
                if (failure != null) {
                    LOG.warn("Auto-commit failed; the next one includes its offsets: {}", failure.toString());
                }
            });
        }
    }

    /**
     * Commits the positions before partitions are revoked. If that fails, their records are
     * delivered again. A wakeup or an interrupt is meant for the enclosing call: it stays pending,
     * and the revocation continues.
     */
    public void beforePartitionsGo() {
        if (interval == null || isUnsubscribing) {
            return;
        }
        try {
            Map<TopicPartition, OffsetAndMetadata> positions = queries.positions();
            if (!positions.isEmpty()) {
                commitLast(positions);
            }
        } catch (KafkaException e) {
            // After an interrupt, Kafka has set the thread's flag again, so the enclosing call ends
            // with it.
            LOG.warn(
                    "Auto-commit before partitions go failed; their next owner delivers some records again: {}",
                    e.toString());
        }
    }

    /**
     * Runs a call that unsubscribes. As in Kafka's consumer, it commits nothing, so that an
     * application that subscribes again gets the records since the last commit again.
     */
    void withoutCommit(Runnable unsubscribing) {
        isUnsubscribing = true;
        try {
            unsubscribing.run();
        } finally {
            isUnsubscribing = false;
        }
    }

    /** Kafka's own auto-commit ignores wakeups too. */
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
