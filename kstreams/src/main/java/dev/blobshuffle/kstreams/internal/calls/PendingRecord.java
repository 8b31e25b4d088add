package dev.blobshuffle.kstreams.internal.calls;

import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * A record from its acceptance to its end. Guarded by the lock of its {@link ParallelCalls}. The
 * owner may read the input, and after the release the outcome, without the lock.
 *
 * <pre>
 *   WAITING ──▶ (UNPREPARED) ──▶ READY ──▶ RUNNING ──▶ DONE ──▶ (released, finished)
 *                                  ▲           │
 *                                  └── PARKED ◀┘  before a repetition
 * </pre>
 */
public final class PendingRecord<I, O> {
    /** The state of a record. */
    enum State {
        /** It waits for an earlier record of its key. */
        WAITING,
        /** The owner must prepare it; its key is free. */
        UNPREPARED,
        /** Its call may start. */
        READY,
        /** Its call has started. */
        RUNNING,
        /** Its call failed and will be retried. */
        PARKED,
        /** Its call has ended for good. */
        DONE
    }

    final long sequence;
    final @Nullable KeyGroup<I, O> group;
    public final I input;
    final long bytes;
    final long acceptedNanos;
    State state = State.WAITING;
    int attempts;

    /** Whether the delay of a parked record is over. */
    boolean isDue;

    private @Nullable Outcome<O> outcome;

    PendingRecord(long sequence, @Nullable KeyGroup<I, O> group, I input, long bytes, long acceptedNanos) {
        this.sequence = sequence;
        this.group = group;
        this.input = input;
        this.bytes = bytes;
        this.acceptedNanos = acceptedNanos;
    }

    long sequence() {
        return sequence;
    }

    public I input() {
        return input;
    }

    void end(Outcome<O> result) {
        state = State.DONE;
        outcome = result;
    }

    public Outcome<O> outcome() {
        Outcome<O> result = outcome;
        if (result == null) {
            throw new IllegalStateException("Cannot give the outcome of a record: its call has not ended.");
        }
        return result;
    }
}
