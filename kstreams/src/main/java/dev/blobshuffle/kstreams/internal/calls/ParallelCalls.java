package dev.blobshuffle.kstreams.internal.calls;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kstreams.keyparallel.calls.CallTimedOutException;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import dev.blobshuffle.kstreams.keyparallel.calls.ServiceOverloadedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls a function for many records concurrently, and releases the outcomes in order. It does not
 * depend on Kafka: its owner offers records, hands on the released outcomes, and waits for the rest
 * before a commit.
 *
 * <pre>
 *   offer ──▶ Backlog ──▶ Attempt on a worker ──▶ settled ──▶ released ──▶ poll, finish
 *                            └─ its end starts the next call, so that throughput does not depend on how often the owner looks
 * </pre>
 *
 * <p>Threads: one owner offers, polls, finishes and closes. Workers and timers only settle calls
 * and start the next ones. One lock, held briefly, guards all state; user functions never run under
 * it.
 *
 * @param <I> input of a call, for one record
 * @param <O> output of a call, for one record
 */
public final class ParallelCalls<I, O> implements AutoCloseable {
    private final CallPlan plan;
    private final Call<I, O> call;
    private final Time time;
    private final Time.Workers workers;
    private final AtomicInteger strays;
    private final Tally tally = new Tally();
    private final Signal progress;
    private final ReentrantLock lock = new ReentrantLock();
    private final Backlog<I, O> backlog;
    private final Optional<Allowance> allowance;
    private final Optional<AdaptiveLimit> adaptive;
    private final LongSupplier shareOfProcess;
    private final Set<Attempt<I, O>> running = new HashSet<>();
    private boolean isClosed;

    /**
     * Starts without calls.
     *
     * @param isStaged whether the owner prepares each record before its call; then a key's next
     *     record waits until the one before it is finished, not only called
     * @param workers run the calls; they get at most the plan's concurrency, less the stray calls
     * @param strays calls of closed predecessors whose functions have not returned
     */
    public ParallelCalls(
            CallPlan plan, boolean isStaged, Call<I, O> call, Time time, Time.Workers workers, AtomicInteger strays) {
        this(plan, isStaged, call, time, workers, strays, () -> Long.MAX_VALUE);
    }

    /**
     * Starts without calls. @param shareOfProcess limit of pending bytes, for the sake of other
     * nodes of this process
     */
    public ParallelCalls(
            CallPlan plan,
            boolean isStaged,
            Call<I, O> call,
            Time time,
            Time.Workers workers,
            AtomicInteger strays,
            LongSupplier shareOfProcess) {
        this.shareOfProcess = shareOfProcess;
        adaptive = plan.concurrency().isAdaptive()
                ? Optional.of(new AdaptiveLimit(plan.concurrency(), time.nanos()))
                : Optional.empty();
        this.plan = plan;
        this.call = call;
        this.time = time;
        this.workers = workers;
        this.strays = strays;
        progress = time.signal();
        backlog = new Backlog<>(plan, isStaged);
        allowance = plan.drain().map(drain -> new Allowance(drain, plan.maxPending(), time.nanos()));
    }

    /**
     * Accepts a record, and starts its call if possible. Never refuses a record: see
     * {@link #isFull()}. For the owner.
     */
    public void offer(@Nullable KeyHandle key, I input, long bytes) {
        lock.lock();
        try {
            backlog.accept(key, input, bytes, time.nanos());
        } finally {
            lock.unlock();
        }
        dispatch();
    }

    /** Whether the owner should offer no more records for now. */
    public boolean isFull() {
        lock.lock();
        try {
            return backlog.pending() > plan.maxPending()
                    || backlog.pending() > 1 && backlog.bytes() > maxBytes()
                    || allowance.isPresent() && isMoreThan(allowance.get());
        } finally {
            lock.unlock();
        }
    }

    private boolean isMoreThan(Allowance allowed) {
        return backlog.waiting() > allowed.records(time.nanos()) || backlog.callsAheadOfLast() > allowed.callsOfKey();
    }

    private long maxBytes() {
        return Math.min(plan.maxPendingBytes(), shareOfProcess.getAsLong());
    }

    /** The current limit of concurrent calls. */
    public int maxConcurrency() {
        lock.lock();
        try {
            return limit();
        } finally {
            lock.unlock();
        }
    }

    private int limit() {
        return adaptive.isPresent() ? adaptive.get().calls() : plan.maxConcurrency();
    }

    /**
     * The next record to prepare; {@link #prepared} or {@link #skip} must follow. For the owner of
     * a staged function.
     */
    @Nullable
    public PendingRecord<I, O> pollUnprepared() {
        lock.lock();
        try {
            return backlog.pollUnprepared();
        } finally {
            lock.unlock();
        }
    }

    /** Starts the call of a prepared record if possible. For the owner. */
    public void prepared(PendingRecord<I, O> record) {
        lock.lock();
        try {
            backlog.prepared(record);
        } finally {
            lock.unlock();
        }
        dispatch();
    }

    /** Ends a record without a call. For the owner. */
    public void skip(PendingRecord<I, O> record, Outcome<O> outcome) {
        lock.lock();
        try {
            backlog.skip(record, outcome);
        } finally {
            lock.unlock();
        }
    }

    /** The next record to hand on; {@link #finish} must follow. For the owner. */
    @Nullable
    public PendingRecord<I, O> poll() {
        lock.lock();
        try {
            return backlog.pollReleased();
        } finally {
            lock.unlock();
        }
    }

    /** Whether {@link #poll} would return a record. */
    public boolean hasReleased() {
        lock.lock();
        try {
            return backlog.hasReleased();
        } finally {
            lock.unlock();
        }
    }

    /** Ends a polled record. For the owner. */
    public void finish(PendingRecord<I, O> record) {
        lock.lock();
        try {
            backlog.finish(record);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Starts calls that the end of another call does not start. Call it after {@link #finish}, and
     * when stray calls may have returned.
     */
    public void dispatch() {
        for (Attempt<I, O> next = startNext(); next != null; next = startNext()) {
            try {
                workers.execute(next);
            } catch (ClosedException e) {
                return; // Another thread is closing the task, so no one waits for the call.
            } catch (RuntimeException | Error e) {
                next.fail(e);
                free(next);
            }
        }
    }

    private @Nullable Attempt<I, O> startNext() {
        lock.lock();
        try {
            if (isClosed || running.size() + strays.get() >= limit()) {
                if (adaptive.isPresent() && backlog.hasReady()) {
                    adaptive.get().bind();
                }
                return null;
            }
            List<PendingRecord<I, O>> records = backlog.next();
            if (records.isEmpty()) {
                return null;
            }
            Attempt<I, O> attempt = new Attempt<>(this, records);
            running.add(attempt);
            noteRunning();
            return attempt;
        } finally {
            lock.unlock();
        }
    }

    private void noteRunning() {
        if (adaptive.isPresent()) {
            adaptive.get().running(running.size(), time.nanos());
        }
    }

    /** Called when a call has ended: releases its records, or retries them. */
    void settle(List<PendingRecord<I, O>> records, List<Outcome<O>> outcomes, long tookNanos) {
        List<PendingRecord<I, O>> parked = new ArrayList<>(0);
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            noteEnd(outcomes);
            int done = 0;
            for (int i = 0; i < records.size(); i++) {
                PendingRecord<I, O> record = records.get(i);
                Outcome<O> outcome = outcomes.get(i);
                if (isRepeated(record, outcome)) {
                    backlog.park(record);
                    parked.add(record);
                } else {
                    backlog.end(record, outcome);
                    done++;
                }
            }
            if (allowance.isPresent()) {
                allowance.get().ended(done, tookNanos, time.nanos());
            }
        } finally {
            lock.unlock();
        }
        for (PendingRecord<I, O> record : parked) {
            tally.retried.increment();
            time.schedule(plan.retries().delayAfter(record.attempts), () -> repeat(record));
        }
        progress.raise();
        dispatch();
    }

    private void noteEnd(List<Outcome<O>> outcomes) {
        if (adaptive.isPresent()) {
            adaptive.get()
                    .ended(
                            outcomes.stream().anyMatch(outcome -> outcome.failure() == null),
                            outcomes.stream()
                                    .anyMatch(outcome -> outcome.failure() instanceof CallTimedOutException
                                            || outcome.failure() instanceof ServiceOverloadedException),
                            time.nanos());
        }
    }

    private boolean isRepeated(PendingRecord<I, O> record, Outcome<O> outcome) {
        return outcome.failure() != null
                && !(outcome.failure() instanceof Error)
                && record.attempts < plan.retries().attempts();
    }

    private void repeat(PendingRecord<I, O> record) {
        lock.lock();
        try {
            if (!isClosed) {
                backlog.unpark(record);
            }
        } finally {
            lock.unlock();
        }
        dispatch();
    }

    /** Frees the place of a call that has ended and whose function has returned. Idempotent. */
    void free(Attempt<I, O> attempt) {
        boolean isStray;
        lock.lock();
        try {
            isStray = running.remove(attempt) && isClosed;
            noteRunning();
        } finally {
            lock.unlock();
        }
        if (isStray) {
            strays.decrementAndGet();
        }
        dispatch();
    }

    /** A counter of progress; pass it to {@link #awaitProgress}. */
    public long progress() {
        return progress.count();
    }

    /**
     * Waits until there is progress after a value of {@link #progress()}, or until the deadline.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    public void awaitProgress(long seen, long deadlineNanos) throws InterruptedException {
        boolean ignored = progress.await(seen, deadlineNanos);
    }

    /** Number of unfinished records. */
    public int pending() {
        lock.lock();
        try {
            return backlog.pending();
        } finally {
            lock.unlock();
        }
    }

    /** Age of the oldest unfinished record. */
    public Duration oldestAge() {
        lock.lock();
        try {
            long now = time.nanos();
            return Duration.ofNanos(now - backlog.oldestNanos().orElse(now));
        } finally {
            lock.unlock();
        }
    }

    /** The current state. */
    public Standing standing() {
        lock.lock();
        try {
            return new Standing(
                    backlog.pending(), backlog.bytes(), backlog.waiting(), running.size(), backlog.keys(), reason());
        } finally {
            lock.unlock();
        }
    }

    private LimitReason reason() {
        if (running.size() + strays.get() >= limit()) {
            return LimitReason.CONCURRENCY;
        }
        if (backlog.waiting() > 0) {
            return LimitReason.KEY_ORDER;
        }
        return backlog.pending() > plan.maxPending() || backlog.bytes() > maxBytes()
                ? LimitReason.BUDGET
                : LimitReason.INPUT;
    }

    CallPlan plan() {
        return plan;
    }

    Call<I, O> call() {
        return call;
    }

    Time time() {
        return time;
    }

    public Tally tally() {
        return tally;
    }

    /**
     * Drops everything: calls are interrupted, and their later answers are dropped. Idempotent. For
     * the owner.
     */
    @Override
    public void close() {
        List<Attempt<I, O>> left;
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
            left = new ArrayList<>(running);
            strays.addAndGet(left.size());
        } finally {
            lock.unlock();
        }
        for (Attempt<I, O> attempt : left) {
            if (!attempt.cancel()) {
                // Not on a worker: at most it is queued, or waits for an answer from elsewhere.
                free(attempt);
            }
        }
    }

    /**
     * The state at one moment.
     *
     * @param pending number of unfinished records
     * @param bytes of these records
     * @param waiting number of those whose call has not started
     * @param running number of running calls
     * @param keys number of keys that have records
     * @param reason the limit of the throughput
     */
    public record Standing(int pending, long bytes, int waiting, int running, int keys, LimitReason reason) {}
}
