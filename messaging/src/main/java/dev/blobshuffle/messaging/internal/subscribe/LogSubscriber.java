package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.WaitInterruptedException;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.read.RepeatedFailure;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.ConsumerFencedException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.log.internal.group.GroupSession;
import dev.blobshuffle.log.internal.group.Member;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.Records;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscriber;
import dev.blobshuffle.messaging.Subscription;
import dev.blobshuffle.messaging.TopicPartition;
import dev.blobshuffle.messaging.UnreadableRecordException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscriber over a commit log. A poll runs in rounds. Each round follows the group, starts
 * partitions, feeds the Debatcher with the batches that have arrived, and takes records that are
 * ready. The first round with a record ends the poll. While the log does not answer, a poll returns
 * the records that have already arrived, and then waits. Owned by one thread, as {@link Subscriber}
 * says.
 */
public final class LogSubscriber<K, V> implements Subscriber<K, V> {
    private static final Logger LOG = LoggerFactory.getLogger(LogSubscriber.class);

    /** After this many bytes, a partition returns no more in a poll. */
    private static final long TURN_BYTES = 1L << 20;

    /** The longest wait between two rounds while a fetch is in flight, and otherwise. */
    private static final Duration FETCHING_ROUND = Duration.ofMillis(10);

    private static final Duration IDLE_ROUND = Duration.ofMillis(250);
    private static final Duration LONGEST_CALL = Duration.ofSeconds(15);
    private static final Duration LONGEST_LEAVE = Duration.ofSeconds(5);

    private final SubscriberParts parts;
    private final Subscription subscription;
    private final Serde<K> keys;
    private final Serde<V> values;
    private final Time time;
    private final Signal signal;
    private final OneThread thread;
    final GroupSession session;
    private final Debatcher<Optional<PlainRecord>> debatcher;
    private final EntriesFeed feed;
    private final OwnedReadings readings;
    private final Positions positions;
    private final StartLookup starts;
    private final RefusedRecords refused;
    private final Obstacles obstacles;
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final AtomicBoolean isWoken = new AtomicBoolean();

    private LogSubscriber(
            SubscriberParts parts,
            Subscription subscription,
            Collection<LogTopic> topics,
            Serde<K> keys,
            Serde<V> values,
            Optional<DeadLetters> deadLetters) {
        this.parts = parts;
        this.subscription = subscription;
        this.keys = keys;
        this.values = values;
        time = parts.time();
        signal = time.signal();
        thread = new OneThread(signal);
        UUID id = new UUID(time.randomLong(), time.randomLong());
        Member member = new Member(
                subscription.group(),
                id,
                parts.zone(),
                topics.stream().map(LogTopic::number).collect(Collectors.toSet()));
        session = new GroupSession(parts.log().groups(), member, subscription.maxPollInterval(), time, signal::raise);
        debatcher = parts.engine().debatcher(subscription.group() + "/" + id);
        feed = new EntriesFeed(debatcher);
        Membership.Reading announced = parts.membership().reading();
        announced.subscribed(subscription.topics());
        readings = new OwnedReadings(
                topics, parts.tails(), session, feed, announced, subscription.listener(), time, signal::raise);
        positions = new Positions(readings, member, time);
        starts = new StartLookup(parts.log(), subscription.reset(), subscription.group(), time, signal::raise);
        refused = new RefusedRecords(subscription.group(), deadLetters);
        obstacles =
                new Obstacles(subscription.group(), readings, feed, session, parts.tails(), new RepeatedFailure(time));
    }

    /**
     * Opens a subscriber, which joins its group in the background. Blocks while it looks up the
     * topics.
     *
     * @param deadLetters receives records that cannot be processed; closed with the subscriber
     * @throws dev.blobshuffle.log.failure.TopicAbsentException recoverable: create the topic
     * @throws LogUnavailableException recoverable: the log does not answer
     */
    public static <K, V> LogSubscriber<K, V> open(
            SubscriberParts parts,
            Subscription subscription,
            Serde<K> keys,
            Serde<V> values,
            Optional<DeadLetters> deadLetters) {
        List<LogTopic> topics = subscription.topics().stream()
                .sorted()
                .map(parts.catalog()::ask)
                .toList();
        LogSubscriber<K, V> opened = new LogSubscriber<>(parts, subscription, topics, keys, values, deadLetters);
        opened.session.start();
        return opened;
    }

    @Override
    public String group() {
        return subscription.group();
    }

    @Override
    public Records<K, V> poll(Duration wait) {
        try (OneThread.Use use = thread.enter()) {
            checkOpen();
            long deadline = time.nanos()
                    + Math.min(
                            wait.compareTo(Duration.ofDays(365)) > 0 ? Long.MAX_VALUE / 4 : wait.toNanos(),
                            Long.MAX_VALUE / 4);
            session.polled();
            obstacles.throwPostponed(left(deadline));
            commitStarts();
            while (true) {
                long heard = signal.count();
                try {
                    PollResult<K, V> result = round();
                    Duration left = left(deadline);
                    if (!result.isEmpty() || left.isZero() || isWoken.getAndSet(false)) {
                        return result.toRecords();
                    }
                    await(heard, left);
                } catch (BlobShuffleException | UnreadableRecordException e) {
                    awaitSignal(heard, shorter(obstacles.throwUnlessRepeated(e, left(deadline)), IDLE_ROUND));
                    if (isWoken.getAndSet(false)) {
                        return new Records<>(List.of());
                    }
                }
                checkOpen();
            }
        }
    }

    private Duration left(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - time.nanos()));
    }

    private void checkOpen() {
        if (isClosed.get()) {
            throw new ClosedException(
                    "Cannot use the subscriber of group '" + group() + "': it is closed. Open another one.");
        }
    }

    private PollResult<K, V> round() {
        session.polled();
        readings.follow();
        checkOpen(); // A listener may have closed it.
        beginStarts();
        readings.topics().forEach(feed::feed);
        debatcher.prefetch();
        PollResult<K, V> result = new PollResult<>(readings::of, feed, keys, values, refused);
        drain(result);
        if (result.isEmpty()) {
            obstacles.throwAny();
        } else {
            obstacles.lookLater();
        }
        return result;
    }

    private void beginStarts() {
        List<PartitionReading> begun = starts.take();
        for (PartitionReading each : begun) {
            boolean isStillRead = readings.find(each.named) == each;
            if (isStillRead && !each.isPaused) {
                readings.topic(each).add(each);
            }
        }
        if (!begun.isEmpty()) {
            commitStarts();
        }
        starts.ask(readings.all());
    }

    private void drain(PollResult<K, V> result) {
        try {
            int ignored = debatcher.drain(subscription.maxRecords(), TURN_BYTES, result);
        } catch (UnreadableStopException e) {
            if (result.isEmpty()) {
                throw e.failure();
            }
            obstacles.postpone(e);
        } catch (BlobShuffleException e) {
            if (result.isEmpty()) {
                throw e;
            }
        }
    }

    private void await(long heard, Duration left) {
        if (debatcher.isReady()) {
            return;
        }
        if (!debatcher.isFetching()) {
            awaitSignal(heard, shorter(left, IDLE_ROUND));
            return;
        }
        try {
            debatcher.awaitProgress(shorter(left, FETCHING_ROUND));
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private void awaitSignal(long heard, Duration longest) {
        try {
            boolean ignored = signal.await(heard, time.nanos() + longest.toNanos());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static WaitInterruptedException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new WaitInterruptedException("Cannot wait for the log: the thread was interrupted. Poll again.", cause);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /**
     * Commits the start of a new group that begins at the end, so that it begins there after a
     * restart too.
     */
    private void commitStarts() {
        positions.captureStarts().ifPresent(begun -> {
            try {
                send(begun);
            } catch (LogUnavailableException | ConsumerFencedException e) {
                LOG.debug("The start of group '{}' is not committed yet.", group(), e);
            }
        });
    }

    @Override
    public void commit() {
        try (OneThread.Use use = thread.enter()) {
            checkOpen();
            consumed().ifPresent(this::send);
        }
    }

    private void send(Consumed consumed) {
        try {
            Boolean ignored = CommitLogs.await(
                    parts.log().groups().commit(consumed).thenApply(done -> true),
                    LONGEST_CALL,
                    "commit positions of group " + group(),
                    time);
        } catch (ConsumerFencedException e) {
            fenced();
            throw e;
        }
        committed();
    }

    /**
     * The positions that a commit, or a transaction, commits now. First waits for dead letters.
     *
     * @return empty: no position has changed
     * @throws ConsumerFencedException recoverable: roll back
     */
    public Optional<Consumed> consumed() {
        try (OneThread.Use use = thread.enter()) {
            checkOpen();
            awaitSought();
            refused.flush();
            return positions.capture();
        }
    }

    /** Called when the last result of {@link #consumed} is committed. */
    public void committed() {
        try (OneThread.Use use = thread.enter()) {
            positions.committed();
        }
    }

    /** Called when the log has refused the last result of {@link #consumed}. */
    public void fenced() {
        try (OneThread.Use use = thread.enter()) {
            positions.fenced();
        }
    }

    /** Makes the next poll return again everything after the last commit. */
    public void rollBack() {
        try (OneThread.Use use = thread.enter()) {
            checkOpen();
            positions.anchors().forEach((reading, anchor) -> {
                if (!reading.isLeaving) {
                    seek(reading, new Start.At(anchor));
                }
                reading.isDelivered = false;
                reading.isForfeitable = false;
                reading.isSoughtUncommitted = false;
            });
            boolean ignored = readings.takeForfeited();
        }
    }

    /** Waits until the start of the partitions that the application has moved is known. */
    private void awaitSought() {
        long deadline = time.nanos() + LONGEST_CALL.toNanos();
        while (isSeeking() && time.nanos() - deadline < 0) {
            long heard = signal.count();
            beginStarts();
            if (isSeeking()) {
                awaitSignal(heard, FETCHING_ROUND);
            }
        }
        if (isSeeking()) {
            throw new LogUnavailableException("Cannot find the positions that group '" + group()
                    + "' has sought: the commit log does not answer. Try again.");
        }
    }

    private boolean isSeeking() {
        return readings.all().stream()
                .anyMatch(each -> each.isSought && each.start.isPresent() && each.failure == null && !each.isLeaving);
    }

    @Override
    public void refuse(ReceivedRecord<K, V> record, Throwable reason) {
        try (OneThread.Use use = thread.enter()) {
            checkOpen();
            K key = record.key();
            V value = record.value();
            PlainRecord raw = new PlainRecord(
                    record.timestamp(),
                    key == null ? null : keys.serialize(record.topic(), key),
                    value == null ? null : values.serialize(record.topic(), value),
                    record.headers());
            refused.keep(new TopicPartition(record.topic(), record.partition()), record.position(), raw, reason);
        }
    }

    @Override
    public Set<TopicPartition> assignment() {
        try (OneThread.Use use = thread.enter()) {
            return readings.names();
        }
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        try (OneThread.Use use = thread.enter()) {
            checkOpen();
            for (TopicPartition each : partitions) {
                PartitionReading reading = require(each);
                if (!reading.isPaused) {
                    feed.pause(readings.topic(reading), reading);
                }
            }
        }
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        try (OneThread.Use use = thread.enter()) {
            checkOpen();
            for (TopicPartition each : partitions) {
                PartitionReading reading = require(each);
                if (reading.isPaused) {
                    feed.resume(readings.topic(reading), reading);
                }
            }
        }
    }

    private PartitionReading require(TopicPartition partition) {
        PartitionReading reading = readings.find(partition);
        if (reading == null) {
            throw new IllegalStateException("Cannot use partition " + partition + ": this member of group '" + group()
                    + "' does not own it. Ask for its assignment.");
        }
        return reading;
    }

    @Override
    public void seek(TopicPartition partition, long position) {
        if (position < 0) {
            throw new IllegalArgumentException(
                    "Cannot seek " + partition + " to position " + position + ". Give that of a record.");
        }
        seek(Set.of(partition), new Start.At(LogPosition.of(position)));
    }

    @Override
    public void seekToBeginning(Collection<TopicPartition> partitions) {
        seek(partitions, new Start.Earliest());
    }

    @Override
    public void seekToEnd(Collection<TopicPartition> partitions) {
        seek(partitions, new Start.Latest());
    }

    private void seek(Collection<TopicPartition> partitions, Start start) {
        try (OneThread.Use use = thread.enter()) {
            checkOpen();
            partitions.stream().map(this::require).toList().forEach(reading -> seek(reading, start));
        }
    }

    private void seek(PartitionReading reading, Start start) {
        readings.stopReading(reading);
        reading.seek(start);
    }

    @Override
    public void seekTo(Map<TopicPartition, Instant> times) {
        try (OneThread.Use use = thread.enter()) {
            checkOpen();
            Map<Instant, Set<PartitionReading>> byTime = new HashMap<>();
            times.forEach(
                    (partition, instant) -> byTime.computeIfAbsent(instant, any -> new java.util.LinkedHashSet<>())
                            .add(require(partition)));
            byTime.forEach((instant, sought) -> {
                Map<Integer, Instant> asked = sought.stream()
                        .map(each -> each.numbered.topic())
                        .distinct()
                        .collect(Collectors.toMap(topic -> topic, topic -> instant));
                Map<Integer, Long> found = CommitLogs.await(
                        parts.log().topics().sequencesAt(asked), LONGEST_CALL, "find the position of a time", time);
                for (PartitionReading each : sought) {
                    Long sequence = found.get(each.numbered.topic());
                    seek(each, sequence == null ? new Start.Latest() : new Start.At(new LogPosition(sequence, 0)));
                }
            });
        }
    }

    @Override
    public OptionalLong position(TopicPartition partition) {
        try (OneThread.Use use = thread.enter()) {
            checkOpen();
            awaitSought();
            PartitionReading reading = readings.find(partition);
            return reading == null || reading.start.isPresent()
                    ? OptionalLong.empty()
                    : OptionalLong.of(feed.position(reading).value());
        }
    }

    @Override
    public Map<TopicPartition, Long> lag() {
        try (OneThread.Use use = thread.enter()) {
            checkOpen();
            Map<TopicPartition, Long> lag = new HashMap<>();
            for (PartitionReading each : readings.all()) {
                OptionalLong end = readings.topic(each).end();
                if (!each.isLeaving && each.start.isEmpty() && end.isPresent()) {
                    long behind = end.getAsLong() - feed.position(each).sequence();
                    lag.put(each.named, Math.max(0, behind));
                }
            }
            return lag;
        }
    }

    @Override
    public void wakeup() {
        isWoken.set(true);
        signal.raise();
    }

    @Override
    public void close() {
        if (isClosed.getAndSet(true)) {
            return;
        }
        signal.raise();
        awaitOtherThread();
        try {
            readings.close();
            debatcher.close();
            refused.close();
        } finally {
            leave();
            thread.leave();
            parts.closed().accept(this);
        }
    }

    private void leave() {
        try {
            Boolean ignored = CommitLogs.await(
                    session.close().thenApply(done -> true), LONGEST_LEAVE, "leave group " + group(), time);
        } catch (BlobShuffleException e) {
            LOG.warn("Group '{}' will notice only at the end of the lease that a member has left.", group(), e);
        }
    }

    /** Waits for a poll on another thread, which ends within a round. */
    private void awaitOtherThread() {
        try {
            long heard = signal.count();
            while (!thread.tryEnter()) {
                boolean ignored = signal.await(heard, time.nanos() + IDLE_ROUND.toNanos());
                heard = signal.count();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            var ignored = session.close();
            throw new WaitInterruptedException(
                    "Cannot close the subscriber of group '" + group()
                            + "': the thread was interrupted. What it reads is not released.",
                    e);
        }
    }
}
