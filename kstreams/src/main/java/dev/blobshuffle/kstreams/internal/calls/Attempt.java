package dev.blobshuffle.kstreams.internal.calls;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kstreams.keyparallel.calls.CallTimedOutException;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call for one or more records. It ends once: by its answer, by its timeout, or because its
 * task is closed. It occupies one of the concurrent calls until it has ended and its function has
 * returned. A function that ignores its interruption keeps the place, so the number of threads
 * stays bounded.
 *
 * <p>Thread-safe: guarded by itself.
 */
public final class Attempt<I, O> implements Runnable {
    private final ParallelCalls<I, O> calls;
    private final List<PendingRecord<I, O>> records;
    private @Nullable Thread runner;
    private Time.@Nullable Cancellable timer;
    private long startedNanos;
    private boolean isOver;
    private boolean isReturned;

    Attempt(ParallelCalls<I, O> calls, List<PendingRecord<I, O>> records) {
        this.calls = calls;
        this.records = records;
        startedNanos = calls.time().nanos();
    }

    List<PendingRecord<I, O>> records() {
        return records;
    }

    /** Runs on a worker. */
    @Override
    public void run() {
        try {
            if (begin()) {
                List<I> inputs = new ArrayList<>(records.size());
                records.forEach(record -> inputs.add(record.input()));
                calls.call().start(inputs, this::complete);
            }
        } catch (Exception | Error e) {
            fail(e);
        } finally {
            leave();
        }
    }

    private synchronized boolean begin() {
        if (!isOver) {
            runner = Thread.currentThread();
            startedNanos = calls.time().nanos();
            timer = calls.time().schedule(calls.plan().timeout(), this::timeOut);
        }
        return !isOver;
    }

    private void leave() {
        boolean isFree;
        synchronized (this) {
            runner = null;
            isReturned = true;
            isFree = isOver;
            boolean ignored = Thread.interrupted(); // The interrupt was for this call, not for the next.
        }
        if (isFree) {
            calls.free(this);
        }
    }

    private void complete(List<Outcome<O>> outcomes) {
        if (outcomes.size() != records.size()) {
            fail(new IllegalStateException("Cannot use the answer of a call: it has " + outcomes.size()
                    + " results for " + records.size() + " records. Give one for each, in their order."));
        } else {
            end(outcomes);
        }
    }

    /** Ends the call with a failure of all its records. */
    void fail(Throwable failure) {
        end(Collections.nCopies(records.size(), Outcome.failed(failure)));
    }

    private void end(List<Outcome<O>> outcomes) {
        if (!claim()) {
            return;
        }
        calls.tally().calls.increment();
        long tookNanos;
        synchronized (this) {
            tookNanos = calls.time().nanos() - startedNanos;
        }
        calls.tally().callNanos.add(tookNanos);
        calls.settle(records, outcomes, tookNanos);
        boolean isFree;
        synchronized (this) {
            isFree = isReturned;
        }
        if (isFree) {
            calls.free(this);
        }
    }

    private void timeOut() {
        if (!isOver()) {
            calls.tally().timedOut.increment();
            boolean ignored = interrupt();
            fail(new CallTimedOutException("The call took longer than "
                    + calls.plan().timeout().toMillis() + " ms. Raise its timeout, or check the service."));
        }
    }

    private synchronized boolean isOver() {
        return isOver;
    }

    /** Ends the call without an outcome. @return whether its function still runs */
    boolean cancel() {
        boolean ignored = claim();
        return interrupt();
    }

    private synchronized boolean interrupt() {
        if (runner != null) {
            runner.interrupt();
        }
        return runner != null;
    }

    /** Whether the caller is the first, and so ends the call. */
    private synchronized boolean claim() {
        if (isOver) {
            return false;
        }
        isOver = true;
        if (timer != null) {
            timer.cancel();
        }
        return true;
    }
}
