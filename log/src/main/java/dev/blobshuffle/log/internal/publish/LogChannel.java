package dev.blobshuffle.log.internal.publish;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.failure.WaitInterruptedException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.BlobExpiredException;
import dev.blobshuffle.log.failure.ConsumerFencedException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.group.Consumed;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The channel from a lane to a commit log. It collects segments and commits them together. One
 * commit is in flight at a time, while the next one collects, so commits are in append order.
 *
 * <p>If the answer to a commit is lost, the commit is repeated with the same numbers, so it is
 * stored once. At the delivery timeout, the lane and the records get a failure. Even then the
 * commit is repeated as long as its outcome is unknown, because its numbers cannot be reused; the
 * log itself rejects it once a blob is too old. Later commits wait for it.
 *
 * <pre>
 *   collected ──requestFlush, flush──▶ under way ──▶ committed
 *        │                              │  ▲ └──▶ refused (fenced, expired, no such topic)
 *        │                              └──┘ unavailable, outcome unknown: after a growing pause
 *        └──hold──▶ held ──commitInto──▶ committed with the transaction, or refused
 * </pre>
 *
 * <p>In a transaction, the channel accepts segments at once and holds them back; records get the
 * outcome of the commit. Thread-safe. Guarded by {@code this}; neither lane nor records are called
 * under the lock, except to take a segment.
 */
public final class LogChannel implements Channel, AutoCloseable {
    /**
     * A flush that ends before it has sent everything leaves segments behind. They are sent within
     * this time.
     */
    private static final Duration LONGEST_COLLECT = Duration.ofMillis(100);

    private final Writer writer;
    private final ToIntFunction<String> topics;
    private final Acknowledgements records;
    private final Sequencer sequencer;
    private final Time time;
    private final Duration deliveryTimeout;
    private final Signal ended;

    private final Deque<CommitGroup> collected = new ArrayDeque<>();
    private @Nullable CommitGroup underWay;
    private long number;
    private @Nullable RepeatedCommit attempts;
    private boolean isDue;
    private boolean isHolding;

    /** Rises when the lane restarts. */
    private int epoch;

    /** The reason why nothing of the lane may be committed until it restarts. */
    private @Nullable RuntimeException spoiled;

    /** The reason why nothing may be committed any more. */
    private @Nullable RuntimeException end;

    /**
     * A channel of a writer.
     *
     * @param writer used by this channel only
     * @param topics the number of a topic, by its name; must know every topic of the lane
     * @param records get their outcomes
     * @param deliveryTimeout longest time from a send until the lane and the records get an outcome
     */
    public LogChannel(
            Writer writer,
            ToIntFunction<String> topics,
            Acknowledgements records,
            Sequencer sequencer,
            Time time,
            Duration deliveryTimeout) {
        this.writer = writer;
        this.topics = topics;
        this.records = records;
        this.sequencer = sequencer;
        this.time = time;
        this.deliveryTimeout = deliveryTimeout;
        ended = time.signal();
        number = writer.firstNumber();
    }

    /** The writer that commits. */
    public Writer writer() {
        return writer;
    }

    @Override
    public Duration longestDelivery() {
        return deliveryTimeout;
    }

    @Override
    public void send(Outgoing outgoing) {
        List<CommitGroup> begun = new ArrayList<>();
        RuntimeException refused;
        synchronized (this) {
            for (Entry entry = outgoing.next(); entry != null; entry = outgoing.next()) {
                CommitGroup last = collected.peekLast();
                if (last == null || last.isFull()) {
                    last = new CommitGroup(epoch, isHolding);
                    collected.addLast(last);
                    begun.add(last);
                }
                Partition partition = entry.partition();
                int count = count(entry);
                last.add(topics.applyAsInt(partition.stream()), entry, records.take(partition, count));
                if (isHolding) {
                    entry.delivery().delivered();
                }
            }
            refused = end == null ? spoiled : end;
        }
        if (refused != null) {
            dropCollected(refused);
        } else {
            begun.forEach(this::startTimers);
        }
    }

    private static int count(Entry entry) {
        Notification notification = entry.notification();
        return notification == null ? entry.records().count() : notification.records();
    }

    private void startTimers(CommitGroup group) {
        time.schedule(LONGEST_COLLECT, this::requestFlush);
        group.expireWith(time.schedule(deliveryTimeout, () -> expire(group)));
    }

    /** Not called: this channel takes all entries together. */
    @Override
    public void send(Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
        throw new UnsupportedOperationException("Cannot send one segment: a commit takes all of them.");
    }

    /** Not called: this channel takes all entries together. */
    @Override
    public void send(Partition partition, SegmentRecords segment, Delivery delivery) {
        throw new UnsupportedOperationException("Cannot send one segment: a commit takes all of them.");
    }

    @Override
    public void failed(RuntimeException cause) {
        dropEpoch(cause);
        records.failed(cause);
    }

    @Override
    public void requestFlush() {
        synchronized (this) {
            isDue = true;
        }
        commitNext();
    }

    @Override
    public void flush() {
        requestFlush();
        List<CommitGroup> awaited;
        synchronized (this) {
            awaited = new ArrayList<>(collected);
            if (underWay != null) {
                awaited.add(underWay);
            }
            if (isHolding) {
                return; // Held segments are accepted.
            }
        }
        for (CommitGroup group : awaited) {
            await(group);
        }
    }

    /** Waits for the outcome; the group's timer bounds the wait. */
    private void await(CommitGroup group) {
        try {
            boolean isOver = false;
            while (!isOver) {
                long seen = ended.count();
                isOver = group.isReported() || !ended.await(seen, time.nanos() + Long.MAX_VALUE / 2);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaitInterruptedException(
                    "Cannot flush publisher " + writer.name()
                            + ": the thread was interrupted. Nothing is lost: flush again.",
                    e);
        }
    }

    /**
     * From now on holds everything back, until {@link #commitInto} or {@link #drop}. Flush the lane
     * before.
     *
     * @throws LogUnavailableException an earlier commit still has no answer; try again
     * @throws IllegalStateException segments are collected
     */
    public synchronized void hold() {
        checkOpen();
        if (underWay != null) {
            throw new LogUnavailableException("Cannot begin a transaction of publisher " + writer.name()
                    + ": the log has not answered an earlier commit. Try again.");
        }
        if (!collected.isEmpty()) {
            throw new IllegalStateException(
                    "Cannot begin a transaction of publisher " + writer.name() + ": records wait. Flush first.");
        }
        isHolding = true;
    }

    /**
     * Commits the held segments, with consumed positions, as part of a transaction. Flush the lane
     * before. Ends the hold, whatever the outcome. Blocks.
     *
     * @return the batches' ids
     * @throws BlobShuffleException nothing is committed, unless it is
     *     {@code OutcomeUnknownException}; then the channel has ended, and {@link #wasCommitted}
     *     finds out
     */
    public List<Long> commitInto(LogTransaction transaction, Optional<Consumed> consumed) {
        List<CommitGroup> held;
        long first;
        synchronized (this) {
            checkOpen();
            if (!isHolding) {
                throw new IllegalStateException(
                        "Cannot commit a transaction of publisher " + writer.name() + ": none is open. Begin one.");
            }
            held = List.copyOf(collected);
            collected.clear();
            first = number;
        }
        try {
            List<LogBatch> batches = new ArrayList<>();
            for (CommitGroup group : held) {
                checkCommittable(group);
                batches.addAll(group.batches());
            }
            List<Long> ids = transaction.commit(first, batches, consumed);
            synchronized (this) {
                number += Math.max(1, batches.size());
                isHolding = false;
            }
            held.forEach(this::committed);
            return ids;
        } catch (RuntimeException e) {
            synchronized (this) {
                isHolding = false;
                end = leavesNumbersFree(e) ? end : e;
            }
            held.forEach(group -> report(group, e));
            throw e;
        }
    }

    /**
     * Drops collected and held segments, and ends a hold. Call it after the lane has discarded its
     * records.
     */
    public void drop(RuntimeException cause) {
        synchronized (this) {
            isHolding = false;
        }
        dropEpoch(cause);
    }

    /**
     * Whether the transaction with the unknown outcome was committed. Fences the writer: open
     * another one.
     */
    public CompletionStage<Boolean> wasCommitted() {
        long asked;
        synchronized (this) {
            asked = number;
            end = end == null ? closed() : end;
        }
        return writer.wasCommitted(asked);
    }

    /**
     * The reason why the channel commits nothing more, such as {@code WriterFencedException};
     * empty: it works.
     */
    public synchronized Optional<RuntimeException> end() {
        return Optional.ofNullable(end);
    }

    /**
     * Ends the channel abruptly: reports a failure for everything without an outcome, and repeats
     * nothing more. Flush before. Idempotent.
     */
    @Override
    public void close() {
        RuntimeException cause = closed();
        CommitGroup current;
        synchronized (this) {
            end = end == null ? cause : end;
            current = underWay;
            if (attempts != null) {
                attempts.stop();
            }
        }
        dropCollected(cause);
        if (current != null) {
            report(current, unknown("the publisher is closed"));
        }
    }

    private void commitNext() {
        CommitGroup next;
        synchronized (this) {
            if (underWay != null || isHolding || !isDue || end != null) {
                return;
            }
            next = collected.pollFirst();
            isDue = !collected.isEmpty();
            if (next == null) {
                return;
            }
            underWay = next;
        }
        try {
            checkCommittable(next);
        } catch (RuntimeException e) {
            refused(next, e);
            return;
        }
        RepeatedCommit commit;
        synchronized (this) {
            commit = new RepeatedCommit(writer, time, number, next.batches(), failure -> answered(next, failure));
            attempts = commit;
        }
        commit.attempt();
    }

    /** Throws the reason why a group cannot be committed. */
    private static void checkCommittable(CommitGroup group) {
        RuntimeException refusal = group.refusal();
        if (refusal != null) {
            throw new DeliveryFailedException("Cannot publish records: " + refusal.getMessage(), refusal);
        }
        if (group.isTooLate()) {
            throw new BlobExpiredException(
                    "Cannot publish records: their blob was stored too long ago, so a sweep may delete"
                            + " it. The process stood still or its clock jumped. Publish them again.");
        }
    }

    private void answered(CommitGroup group, Optional<RuntimeException> failure) {
        if (failure.isPresent()) {
            refused(group, failure.get());
            return;
        }
        synchronized (this) {
            number += group.batches().size();
            underWay = null;
        }
        committed(group);
        commitNext();
    }

    /**
     * Called when a group is not committed, or its outcome is unknown. No later group of the lane
     * may be committed then.
     */
    private void refused(CommitGroup group, RuntimeException cause) {
        List<CommitGroup> followers = List.of();
        synchronized (this) {
            underWay = null;
            end = end == null && !leavesNumbersFree(cause) ? ending(cause) : end;
            if (group.epoch() == epoch) {
                followers = spoil(cause);
            }
        }
        report(group, cause);
        RuntimeException ofFollowers = ending(cause);
        followers.forEach(follower -> report(follower, ofFollowers));
        commitNext();
    }

    /** The failure that ends the channel after a commit with an unknown outcome. */
    private static RuntimeException ending(RuntimeException cause) {
        return cause instanceof OutcomeUnknownException && cause.getCause() instanceof RuntimeException last
                ? last
                : cause;
    }

    /** Prepares for the failure of the lane. @return the sent groups that must not be committed */
    private List<CommitGroup> spoil(RuntimeException cause) {
        spoiled = cause;
        List<CommitGroup> followers = List.copyOf(collected);
        collected.clear();
        return followers;
    }

    /** Whether a failed commit leaves the channel unchanged. */
    private static boolean leavesNumbersFree(RuntimeException cause) {
        return cause instanceof BlobExpiredException
                || cause instanceof TopicAbsentException
                || cause instanceof ConsumerFencedException
                || cause instanceof DeliveryFailedException
                || cause instanceof LogUnavailableException
                || cause instanceof IllegalStateException; // The caller misused its transaction.
    }

    private void committed(CommitGroup group) {
        group.committed();
        group.cancelTimer();
        ended.raise();
        group.topics().forEach(sequencer::request);
    }

    private void report(CommitGroup group, RuntimeException cause) {
        group.failed(cause);
        group.cancelTimer();
        ended.raise();
    }

    /** Called at the delivery timeout of a group. */
    private void expire(CommitGroup group) {
        String reason = "the log did not answer within " + deliveryTimeout.toMillis() + " ms";
        RuntimeException cause;
        List<CommitGroup> others;
        synchronized (this) {
            if (isHolding || group.isReported()) {
                return;
            }
            cause = underWay == group ? unknown(reason) : unavailable(reason);
            others = group.epoch() == epoch ? spoil(cause) : List.of();
        }
        report(group, cause);
        others.forEach(other -> report(other, unavailable(reason)));
    }

    /** Drops everything that the lane sent before it restarted. */
    private void dropEpoch(RuntimeException cause) {
        synchronized (this) {
            epoch++;
            spoiled = null;
        }
        dropCollected(cause);
    }

    private void dropCollected(RuntimeException cause) {
        List<CommitGroup> dropped;
        synchronized (this) {
            dropped = List.copyOf(collected);
            collected.clear();
        }
        dropped.forEach(group -> report(group, cause));
    }

    private void checkOpen() {
        if (end != null) {
            throw end;
        }
    }

    private ClosedException closed() {
        return new ClosedException(
                "Cannot publish records of " + writer.name() + ": the publisher is closed. Open another one.");
    }

    private LogUnavailableException unavailable(String reason) {
        return new LogUnavailableException("Cannot publish records of " + writer.name() + ": " + reason
                + ". Nothing of them is committed; check the log's database, and publish them again.");
    }

    private OutcomeUnknownException unknown(String reason) {
        return new OutcomeUnknownException("Cannot confirm a commit of " + writer.name() + ": " + reason
                + ". The records may be in the log, now or later.");
    }
}
