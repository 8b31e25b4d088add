package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.position.CommitTranslation;
import dev.blobshuffle.kafka.internal.position.GivenUp;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the start position of newly assigned partitions. The real consumer can find the real offset
 * of the last commit by itself, but not the index inside the segment, and both must come from the
 * same commit. So the resolver queries the commit once, takes both from it, and makes the real
 * consumer seek. A partition whose commit is not known yet is paused.
 *
 * <p>A wait lasts as long as the caller allows, between a minimum and a maximum. The minimum grows
 * while no answer arrives. So {@code poll} returns soon, and the real consumer makes progress. A
 * wait that was too short loses nothing: Kafka's consumers keep the request, and the next wait gets
 * its answer.
 *
 * <p>Kafka's newer consumer has a partition in its assignment before and after it runs the
 * rebalance callback. So either a poll or the callback may query first; both lead to one
 * {@link PartitionProgress}.
 *
 * <p>Owned by the consumer's thread.
 */
public final class StartResolver {
    private static final Duration FIRST_WAIT = Duration.ofMillis(50);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(StartResolver.class);

    private final Consumer<byte[], byte[]> delegate;
    private final AssignedPartitions partitions;
    private final Reset reset;
    private final Time time;
    private Duration wait = FIRST_WAIT;
    private boolean isWaiting;

    StartResolver(Consumer<byte[], byte[]> delegate, AssignedPartitions partitions, Reset reset, Time time) {
        this.delegate = delegate;
        this.partitions = partitions;
        this.reset = reset;
        this.time = time;
    }

    /**
     * Starts every partition that has not started. If the broker does not return a commit in time,
     * its partition stays paused until the next call.
     *
     * @param remaining the caller's remaining time
     */
    void startAll(Duration remaining) {
        List<PartitionProgress> waiting = partitions.notStarted();
        isWaiting = false;
        if (waiting.isEmpty()) {
            return;
        }
        try {
            start(waiting, longer(wait, shorter(remaining, LONGEST_WAIT)));
            wait = FIRST_WAIT;
        } catch (RetriableException | UnknownMemberIdException | StaleMemberEpochException e) {
            // No answer in time, or the group has removed this member. In the second case the
            // member loses the partitions and rejoins.
            isWaiting = true;
            wait = shorter(wait.multipliedBy(2), LONGEST_WAIT);
            waiting.stream().filter(this::isStillAssigned).forEach(partitions::pauseInside);
        }
    }

    /**
     * As {@link #startAll}, inside a rebalance callback. Throws nothing, so that the application
     * always learns of its partitions. After a failure, the next poll queries again.
     */
    public void startAssigned(Duration remaining) {
        try {
            startAll(remaining);
        } catch (WakeupException e) {
            delegate.wakeup(); // The wakeup is meant for the poll.
        } catch (KafkaException e) {
            // This includes interrupts; Kafka has set the thread's flag again.
            LOG.debug("Asking for commits failed; the next poll asks again.", e);
        }
    }

    /**
     * Whether the last call of {@link #startAll} has left partitions without a start. The caller
     * must then poll again soon.
     */
    boolean isWaiting() {
        return isWaiting;
    }

    /**
     * Starts the given partitions for a query of a position. As in Kafka's consumer, the query
     * fails if one of them has no commit and the reset policy is {@code none}.
     *
     * @throws org.apache.kafka.common.errors.TimeoutException recoverable: the broker did not
     *     answer in time
     */
    void startForQuery(List<PartitionProgress> waiting, Duration timeout) {
        start(waiting, timeout);
        for (PartitionProgress progress : waiting) {
            if (reset.isRefused() && progress.realNext() == null && isStillAssigned(progress)) {
                delegate.position(progress.kafka, timeout); // It throws.
            }
        }
    }

    /**
     * Starts the given partitions.
     *
     * @throws org.apache.kafka.common.errors.TimeoutException recoverable: the broker did not
     *     answer in time
     */
    void start(List<PartitionProgress> waiting, Duration timeout) {
        if (waiting.isEmpty()) {
            return;
        }
        Set<TopicPartition> asked =
                waiting.stream().map(progress -> progress.kafka).collect(Collectors.toSet());
        Map<TopicPartition, OffsetAndMetadata> committed;
        try {
            committed = delegate.committed(asked, timeout);
        } catch (InvalidGroupIdException e) {
            committed = Map.of(); // Without a group there are no commits.
        }
        for (PartitionProgress progress : waiting) {
            if (isStillAssigned(progress)) {
                start(progress, committed);
            }
        }
    }

    /**
     * Whether the partition is still assigned. Kafka's newer consumer revokes partitions on its own
     * thread, soon after the callback, so the assignment right after the callback may be the old
     * one.
     */
    private boolean isStillAssigned(PartitionProgress progress) {
        return delegate.assignment().contains(progress.kafka);
    }

    private void start(PartitionProgress progress, Map<TopicPartition, OffsetAndMetadata> committed) {
        OffsetAndMetadata commit = committed.get(progress.kafka);
        if (commit == null) {
            progress.startWhereRealIs();
            wasReset(progress);
        } else {
            OffsetAndMetadata position = CommitTranslation.toVirtual(commit);
            int index = VirtualOffset.index(position.offset());
            partitions.rewind(
                    progress, commit.offset(), index, new OffsetAndMetadata(commit.offset(), commit.leaderEpoch(), ""));
            giveUp(progress, GivenUp.of(commit));
        }
        if (progress.pausedInside) {
            partitions.resumeInside(progress);
        }
    }

    /** Called when the real consumer starts at, or returns to, where the reset policy says. */
    void wasReset(PartitionProgress progress) {
        Duration age = reset.age();
        if (age != null && progress.virtual) {
            progress.startNotBefore(time.wallMillis() - age.toMillis());
        }
    }

    private void giveUp(PartitionProgress progress, GivenUp givenUp) {
        partitions.giveUp(progress, givenUp);
        if (!givenUp.ranges().isEmpty()) {
            LOG.warn("Skipping notifications of {} that were given up: {}.", progress.kafka, givenUp);
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }
}
