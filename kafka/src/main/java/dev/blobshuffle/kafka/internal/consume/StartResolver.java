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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds where reading starts in newly assigned partitions. The real consumer would find the real
 * offset of the last commit by itself, but not the index inside the segment, and the two must be of
 * the same commit. So one answer of the broker supplies both, and the resolver has the real
 * consumer seek. A partition whose answer has not come is paused.
 *
 * <p>A wait is as long as the caller's, between a minimum and a maximum. The minimum grows while no
 * answer comes. So {@code poll} returns soon, and the real consumer goes on meanwhile. A wait that
 * was too short loses nothing: Kafka's consumers keep the request, and the next wait gets its
 * answer.
 *
 * <p>Kafka's newer consumer shows a partition in its assignment before it runs the rebalance
 * callback, and after it. So a poll may ask first, or the callback; both lead to one
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
    private final @Nullable Duration resetAge;
    private final Time time;
    private Duration wait = FIRST_WAIT;
    private boolean isWaiting;

    /**
     * @param resetAge how old the first record may be where nothing is committed; null: any age
     */
    public StartResolver(
            Consumer<byte[], byte[]> delegate, AssignedPartitions partitions, @Nullable Duration resetAge, Time time) {
        this.delegate = delegate;
        this.partitions = partitions;
        this.resetAge = resetAge;
        this.time = time;
    }

    /**
     * Starts every partition that has not started; those whose commit the broker does not tell in
     * time stay paused until the next call.
     *
     * @param remaining what is left of the caller's time
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
            // No answer in time, or the group has put this member out: then it loses the partitions
            // and joins again.
            isWaiting = true;
            wait = shorter(wait.multipliedBy(2), LONGEST_WAIT);
            waiting.stream().filter(this::isStillAssigned).forEach(partitions::pauseInside);
        }
    }

    /**
     * Like {@link #startAll}, from inside a rebalance callback. A failure is left to the next poll,
     * which asks again: the application must hear of its partitions, whatever happens to our
     * question.
     */
    public void startAssigned(Duration remaining) {
        try {
            startAll(remaining);
        } catch (WakeupException e) {
            delegate.wakeup(); // it was meant for the poll
        } catch (KafkaException e) {
            // An interrupt is among them; Kafka has set the thread's flag again.
            LOG.debug("Asking for commits failed; the next poll asks again.", e);
        }
    }

    /**
     * Whether the last call of {@link #startAll} has left partitions that cannot be read yet: who
     * polls the real consumer must soon come back.
     */
    boolean isWaiting() {
        return isWaiting;
    }

    /**
     * Starts the given partitions.
     *
     * @throws org.apache.kafka.common.errors.TimeoutException recoverable: the broker did not
     *     answer in time
     */
    void start(List<PartitionProgress> waiting, Duration timeout) {
        Set<TopicPartition> asked =
                waiting.stream().map(progress -> progress.kafka).collect(Collectors.toSet());
        Map<TopicPartition, OffsetAndMetadata> committed;
        try {
            committed = delegate.committed(asked, timeout);
        } catch (InvalidGroupIdException e) {
            committed = Map.of(); // without a group there are no commits
        }
        for (PartitionProgress progress : waiting) {
            if (isStillAssigned(progress)) {
                start(progress, committed);
            }
        }
    }

    /**
     * Kafka's newer consumer takes partitions away on its own thread, soon after the callback: the
     * assignment that we saw right after it was the old one.
     */
    private boolean isStillAssigned(PartitionProgress progress) {
        return delegate.assignment().contains(progress.kafka);
    }

    private void start(PartitionProgress progress, Map<TopicPartition, OffsetAndMetadata> committed) {
        OffsetAndMetadata commit = committed.get(progress.kafka);
        if (commit == null) {
            progress.startWhereRealIs();
            if (resetAge != null && progress.virtual) {
                progress.startNotBefore(time.wallMillis() - resetAge.toMillis());
            }
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

    private void giveUp(PartitionProgress progress, GivenUp givenUp) {
        partitions.giveUp(progress, givenUp);
        if (!givenUp.ranges().isEmpty()) {
            LOG.warn("Notifications of {} are left out, because they were given up: {}.", progress.kafka, givenUp);
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }
}
