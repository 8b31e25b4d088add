package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.internal.application.ApplicationSettings;
import dev.blobshuffle.kstreams.internal.calls.CallPlan;
import dev.blobshuffle.kstreams.internal.calls.KeyHandle;
import dev.blobshuffle.kstreams.internal.calls.ParallelCalls;
import dev.blobshuffle.kstreams.internal.calls.PendingRecord;
import dev.blobshuffle.kstreams.internal.commit.CommitGate;
import dev.blobshuffle.kstreams.internal.commit.NodeScope;
import dev.blobshuffle.kstreams.internal.commit.PendingTimer;
import dev.blobshuffle.kstreams.keyparallel.calls.CallTimedOutException;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node that calls a slow function, for one task while the task is open. It takes records, hands
 * results on, and holds commits back until no record is pending; in the other commit mode it stores
 * the pending records. A record is pending from the first line of {@code process}, before anything
 * can throw. Only the stream thread hands results on: in {@code process} of later records, in a
 * timer that runs while records are pending, and before commits. Owned by the stream thread.
 */
final class ParallelNode<K, V> implements CommitGate.Drain, AutoCloseable {
    /** Most consecutive drains that may time out before the thread ends with an error. */
    private static final int MOST_TIMEOUTS = 10;

    /**
     * Interval of the timer. Kafka Streams gives a task more and more records in a turn, and the
     * node must take all of them; after a timer it halves their number. A frequent timer keeps the
     * number small, in case the service slows down.
     */
    private static final Duration TURN = Duration.ofMillis(1);

    /** The longest wait between two checks of stray calls and clocks. */
    private static final Duration ROUND = Duration.ofMillis(100);

    /** Memory of a record in addition to the bytes of its key and value. */
    private static final int OVERHEAD_BYTES = 256;

    private static final Logger LOG = LoggerFactory.getLogger(ParallelNode.class);

    private final NodeDefinition<K, V> definition;
    private final String task;
    private final NodeScope scope;
    private final CommitGate gate;
    private final TimeLimits limits;
    private final CallThreads.Lease lease;
    private final NodeCall<K, V> function;
    private final ParallelCalls<Arrival<K, V>, Results> calls;
    private final Optional<Checkpoint<K, V>> checkpoint;
    private final boolean isExactlyOnce;
    private final PendingTimer timer;
    private final NodeMetrics metrics;
    private final StickyFailure sticky = new StickyFailure();

    private final PollDeadline patience = PollDeadline.ofThread();

    /**
     * The exception that the processor throws for the record that is passed to Kafka Streams'
     * handler.
     */
    private @Nullable RuntimeException forHandler;

    ParallelNode(NodeDefinition<K, V> inCode, ProcessingContext context) {
        definition = inCode.in(context);
        task = context.taskId().toString();
        scope = NodeScope.of(context);
        gate = CommitGate.of(context, definition.gate());
        limits = TimeLimits.of(definition.options(), ApplicationSettings.commitLimit(context.appConfigs()));
        CallPlan plan = definition.plan(limits);
        long mostOfProcess = definition.maxProcessBytes();
        checkpoint = definition.checkpoint(context);
        isExactlyOnce = ApplicationSettings.isExactlyOnce(context.appConfigs());
        function = definition.function().open(context);
        lease = definition.threads().acquire(definition.options().name(), plan.maxConcurrency());
        calls = new ParallelCalls<>(
                plan,
                function.isStaged(),
                function,
                lease.time(),
                lease.workers(),
                definition.threads().strays(),
                () -> ProcessBudget.OF_THIS_PROCESS.share(mostOfProcess));
        ProcessBudget.OF_THIS_PROCESS.enter();
        timer = new PendingTimer(context, TURN, this::onTimer);
        metrics = openMetrics(context);
        try {
            recover();
            gate.attach(scope, this);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private NodeMetrics openMetrics(ProcessingContext context) {
        try {
            return new NodeMetrics(context, definition.options().name(), calls);
        } catch (RuntimeException e) {
            release();
            throw e;
        }
    }

    private void recover() {
        if (checkpoint.isPresent()) {
            checkpoint.get().recover(arrival -> {
                offer(arrival);
                calls.tally().recovered.increment();
            });
        }
        if (calls.pending() > 0) {
            timer.start();
        }
    }

    void process(Record<K, V> record) {
        RuntimeException asked = forHandler;
        if (asked != null) {
            throw asked;
        }
        sticky.check();
        patience.enter();
        take(record);
        try {
            boolean ignored = handOn();
            awaitRoom();
        } catch (RuntimeException e) {
            throw sticky.keep(e);
        }
        if (calls.pending() > 0) {
            timer.start();
        }
    }

    private void take(Record<K, V> record) {
        Arrival<K, V> arrival = Arrival.of(
                record, scope.origin(), checkpoint.map(Checkpoint::next).orElse(0L));
        checkpoint.ifPresent(pending -> pending.taken(arrival));
        offer(arrival);
    }

    private void offer(Arrival<K, V> arrival) {
        K key = arrival.record().key();
        KeyHandle handle = key != null
                ? KeyHandle.of(key)
                : definition.options().nullKeys() == NullKeys.SERIAL ? KeyHandle.NULL : null;
        int copies = checkpoint.isPresent() ? 2 : 1; // The store is in memory too.
        calls.offer(handle, arrival, OVERHEAD_BYTES + copies * arrival.origin().bytes());
    }

    /** Hands released results on. @return whether records went downstream */
    private boolean handOn() {
        if (!calls.hasReleased() && !function.isStaged()) {
            return false;
        }
        boolean[] forwarded = new boolean[1];
        scope.run(() -> {
            boolean isMoving;
            do {
                isMoving = function.isStaged() && prepareNext();
                var record = calls.poll();
                if (record != null) {
                    forwarded[0] |= handOn(record.input(), record.outcome());
                    finish(record);
                    isMoving = true;
                }
            } while (isMoving);
        });
        return forwarded[0];
    }

    /**
     * Prepares the next record of a staged function whose key is free. @return whether there was
     * one
     */
    private boolean prepareNext() {
        var record = calls.pollUnprepared();
        if (record == null) {
            return false;
        }
        Optional<Outcome<Results>> known;
        try {
            scope.enter(record.input().record(), record.input().origin());
            known = function.prepare(record.input());
        } catch (StreamsException e) {
            throw e; // From a store, not from the function.
        } catch (Exception | Error e) {
            known = Optional.of(Outcome.failed(e));
        }
        if (known.isPresent()) {
            calls.skip(record, known.get());
        } else {
            calls.prepared(record);
        }
        return true;
    }

    private void finish(PendingRecord<Arrival<K, V>, Results> record) {
        calls.finish(record);
        checkpoint.ifPresent(pending -> pending.finished(record.input()));
    }

    private boolean handOn(Arrival<K, V> arrival, Outcome<Results> outcome) {
        Results made = outcome.value();
        if (made == null) {
            fail(arrival, outcome.failure());
            return false;
        }
        List<Record<?, ?>> results;
        try {
            if (function.isStaged()) {
                scope.enter(arrival.record(), arrival.origin());
            }
            results = made.records();
        } catch (StreamsException e) {
            throw e; // From a store, not from the function.
        } catch (Exception | Error e) {
            fail(arrival, e);
            return function.isStaged();
        }
        for (Record<?, ?> result : results) {
            scope.forward(result, arrival.origin());
        }
        calls.tally().forwarded.increment();
        // A staged function may have written to stores whose caches are already flushed.
        return function.isStaged() || !results.isEmpty();
    }

    private void fail(Arrival<K, V> arrival, @Nullable Throwable failure) {
        calls.tally().failed.increment();
        String what = "Cannot process a record of " + definition.options().name() + ": its call failed, read from "
                + arrival.origin() + ".";
        if (failure instanceof Error || definition.options().onFailure() == FailureAction.FAIL) {
            throw new StreamsException(what + " Fix the cause; the record is read again.", failure);
        }
        if (definition.options().onFailure() == FailureAction.SKIP) {
            calls.tally().skipped.increment();
            LOG.warn("{} It is skipped, as the options say.", what, failure);
            return;
        }
        forHandler = failure instanceof RuntimeException unchecked ? unchecked : new StreamsException(what, failure);
        try {
            scope.process(arrival.record(), arrival.origin());
        } finally {
            forHandler = null;
        }
    }

    /**
     * Waits while too much is pending, but only within the time that the thread may spend without
     * polling, for all its records together. After that, it continues above the limit.
     */
    private void awaitRoom() {
        if (!calls.isFull() || checkpoint.isPresent() && CommitGate.isCommitting()) {
            return;
        }
        long start = lease.time().nanos();
        long deadline = patience.stallDeadline(start, limits);
        long now = start;
        while (calls.isFull() && now - deadline < 0) {
            long seen = calls.progress();
            boolean ignored = handOn();
            calls.dispatch();
            if (calls.isFull()) {
                await(seen, now, deadline);
            }
            now = lease.time().nanos();
        }
        calls.tally().blockedNanos.add(now - start);
        patience.stalled(now - start);
        if (calls.isFull() && now > start) {
            LOG.warn(
                    "{}, task {}: no room for {} ms, the oldest record is pending for {} ms, {}.",
                    definition.options().name(),
                    task,
                    (now - start) / 1_000_000,
                    calls.oldestAge().toMillis(),
                    calls.standing());
        }
    }

    private void await(long seen, long now, long deadline) {
        try {
            calls.awaitProgress(seen, now + Math.min(deadline - now, ROUND.toNanos()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StreamsException("Cannot wait for calls: the thread was interrupted.", e);
        }
    }

    private void onTimer() {
        sticky.check();
        patience.enterTimer();
        try {
            boolean ignored = handOn();
        } catch (RuntimeException e) {
            throw sticky.keep(e);
        } finally {
            patience.leaveTimer();
        }
        calls.dispatch();
        if (calls.pending() == 0) {
            timer.stop();
        }
    }

    @Override
    public boolean drain() {
        sticky.check();
        patience.enterCommit(lease.time().nanos(), limits);
        return checkpoint.isPresent() ? handOnDone(checkpoint.get()) : handOnAll();
    }

    @Override
    public boolean again() {
        return checkpoint.isEmpty() && drain();
    }

    /**
     * Hands finished results on. Under at-least-once, returns true also if stored records will be
     * removed, so that all nodes of the task are flushed first: no other node may lose a removed
     * record.
     */
    private boolean handOnDone(Checkpoint<K, V> pending) {
        try {
            boolean forwarded = handOn();
            return forwarded || !isExactlyOnce && pending.hasGone();
        } catch (RuntimeException e) {
            throw sticky.keep(e);
        }
    }

    @Override
    public void store() {
        if (checkpoint.isPresent() && checkpoint.get().isBehind()) {
            write(() -> calls.tally().stored.add(checkpoint.get().store()));
        }
    }

    @Override
    public void forget() {
        if (checkpoint.isPresent() && checkpoint.get().hasGone()) {
            write(checkpoint.get()::forget);
        }
    }

    /**
     * Writes to the store. Outside a transaction, first waits until everything sent before has
     * arrived.
     */
    private void write(Runnable changes) {
        try {
            if (!isExactlyOnce) {
                scope.flushProducer();
            }
            scope.write(changes);
        } catch (RuntimeException e) {
            throw sticky.keep(e);
        }
    }

    private boolean handOnAll() {
        timer.stop();
        if (calls.pending() == 0) {
            return false;
        }
        long start = lease.time().nanos();
        try {
            boolean forwarded = handOnAll(start, patience.drainDeadline(start, limits));
            definition.threads().timeoutsInARow().remove(task);
            return forwarded;
        } catch (RuntimeException e) {
            throw sticky.keep(e);
        } finally {
            calls.tally().drains.increment();
            calls.tally().drainNanos.add(lease.time().nanos() - start);
        }
    }

    private boolean handOnAll(long start, long deadline) {
        boolean forwarded = false;
        for (long now = start; true; now = lease.time().nanos()) {
            long seen = calls.progress();
            forwarded |= handOn();
            if (calls.pending() == 0) {
                return forwarded;
            }
            if (now - deadline >= 0) {
                throw drainTimedOut(now - start);
            }
            calls.dispatch();
            await(seen, now, deadline);
        }
    }

    /**
     * A timed-out drain: the thread's tasks roll back to the last commit, no result of the calls
     * becomes visible, and the thread continues.
     */
    private RuntimeException drainTimedOut(long waitedNanos) {
        int inARow = definition.threads().timeoutsInARow().merge(task, 1, Integer::sum);
        String what = "Cannot commit: calls of " + definition.options().name() + " did not end within "
                + waitedNanos / 1_000_000 + " ms, " + calls.standing()
                + ". Check the service, or lower maxPending or the calls' timeout.";
        return inARow > MOST_TIMEOUTS
                ? new StreamsException(what + " This happened " + inARow + " times in a row.")
                : new TaskMigratedException(
                        what + " The tasks start again from the last commit.", new CallTimedOutException(what));
    }

    @Override
    public void close() {
        gate.detach();
        timer.stop();
        metrics.close();
        release();
    }

    private void release() {
        calls.close();
        lease.close();
        ProcessBudget.OF_THIS_PROCESS.leave();
        function.close();
    }
}
