package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.read.RepeatedFailure;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.group.GroupSession;
import dev.blobshuffle.log.internal.tail.LogTails;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reasons why a poll cannot go on. A poll without records throws the first of them, so that an
 * application never takes them for silence of the publishers. Owned by the subscriber's thread.
 */
final class Obstacles {
    private static final Logger LOG = LoggerFactory.getLogger(Obstacles.class);

    private final String group;
    private final OwnedReadings readings;
    private final EntriesFeed feed;
    private final GroupSession session;
    private final LogTails tails;
    private final RepeatedFailure repeated;

    /** Topics for whose absence a warning was logged. */
    private final Set<Integer> missed = new HashSet<>();

    /**
     * The record that ended a partition's part of the last poll, after other records were returned.
     */
    private @Nullable UnreadableStopException postponed;

    private boolean isLookPostponed;

    Obstacles(
            String group,
            OwnedReadings readings,
            EntriesFeed feed,
            GroupSession session,
            LogTails tails,
            RepeatedFailure repeated) {
        this.group = group;
        this.readings = readings;
        this.feed = feed;
        this.session = session;
        this.tails = tails;
        this.repeated = repeated;
    }

    /** Keeps a failure for the next poll, because this one returns records. */
    void postpone(UnreadableStopException failure) {
        postponed = failure;
    }

    /**
     * Throws a failure that the last poll postponed, however busy other partitions are, unless the
     * application has moved on, or the same failure was thrown a moment ago. A poll that throws
     * returns nothing, so the next one returns records first.
     *
     * @param remaining the remaining time of the poll
     */
    void throwPostponed(Duration remaining) {
        throwPostponedRecord(remaining);
        boolean isDue = isLookPostponed;
        isLookPostponed = false;
        if (isDue) {
            try {
                throwAny();
            } catch (BlobShuffleException e) {
                Duration ignored = throwUnlessRepeated(e, RepeatedFailure.LEAST);
            }
        }
    }

    private void throwPostponedRecord(Duration remaining) {
        UnreadableStopException known = postponed;
        postponed = null;
        if (known == null) {
            return;
        }
        PartitionReading reading = known.partition();
        boolean isNext = readings.find(reading.named) == reading
                && reading.start.isEmpty()
                && feed.position(reading).value() == known.failure().position();
        if (isNext && !reading.isPaused) {
            Duration ignored = throwUnlessRepeated(known.failure(), remaining);
        }
    }

    /**
     * Throws a failure, unless the same one was thrown a moment ago. Returns how long it is to wait
     * then.
     *
     * @param remaining the remaining time of the poll
     */
    Duration throwUnlessRepeated(RuntimeException failure, Duration remaining) {
        Duration delay = repeated.delay(failure, remaining);
        if (delay.isZero()) {
            throw repeated.thrown(failure);
        }
        return delay;
    }

    /**
     * Lets the next poll look for what keeps a partition from being read, because this one returns
     * records of others.
     */
    void lookLater() {
        isLookPostponed = true;
    }

    /** Throws the reason why there are no records; returns if there is none. */
    void throwAny() {
        throwUnreadable();
        throwAbsent();
        throwStuck();
    }

    private void throwUnreadable() {
        for (PartitionReading each : readings.all()) {
            RuntimeException obstacle = feed.obstacle(each);
            if (obstacle != null) {
                throw obstacle;
            }
        }
    }

    /** Throws if a topic is gone, because its members have nothing to read and must learn why. */
    private void throwAbsent() {
        for (int number : session.absent()) {
            TopicAbsentException failure = readings.absent(number, group);
            if (missed.add(number)) {
                LOG.warn("{}", failure.getMessage());
            }
            throw failure;
        }
    }

    /** Throws if committed batches cannot be sequenced. */
    private void throwStuck() {
        for (TopicReading each : readings.topics()) {
            Optional<LogUnavailableException> stuck = tails.stuck(each.topic().number());
            if (stuck.isPresent()) {
                throw stuck.get();
            }
        }
    }
}
