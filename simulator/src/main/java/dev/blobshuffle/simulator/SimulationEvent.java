package dev.blobshuffle.simulator;

import org.jspecify.annotations.Nullable;

/**
 * Something that happens at a point of virtual time. Events of one point have a random order.
 * Guarded by the baton.
 */
public final class SimulationEvent implements Comparable<SimulationEvent> {
    enum Kind {
        /** Runs anywhere and never waits. */
        TIMER,
        /** Runs at the bottom of a carrier's stack and may wait. */
        ACTIVITY,
        /** Ends a wait. */
        RESUME
    }

    final Kind kind;
    final long at;
    private final long tieBreak;
    private final long number;

    @Nullable
    Runnable action;

    final @Nullable Activity activity;
    final @Nullable Waiter waiter;
    boolean isCancelled;

    SimulationEvent(
            Kind kind,
            long at,
            long tieBreak,
            long number,
            @Nullable Runnable action,
            @Nullable Activity activity,
            @Nullable Waiter waiter) {
        this.kind = kind;
        this.at = at;
        this.tieBreak = tieBreak;
        this.number = number;
        this.action = action;
        this.activity = activity;
        this.waiter = waiter;
    }

    /**
     * Cancels the event and releases its task. Otherwise the time limit of a request, which is
     * seconds away, would keep the request's bytes in memory.
     */
    void cancel() {
        isCancelled = true;
        action = null;
    }

    @Override
    public int compareTo(SimulationEvent other) {
        if (at != other.at) {
            return Long.compare(at, other.at);
        }
        return tieBreak != other.tieBreak ? Long.compare(tieBreak, other.tieBreak) : Long.compare(number, other.number);
    }
}
