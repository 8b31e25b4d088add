package dev.blobshuffle.simulator;

import org.jspecify.annotations.Nullable;

/** Something that may wait: an actor, or a task of workers. Guarded by the baton. */
public final class Activity {
    final String name;
    final SimulatedProcess process;
    final boolean isActor;

    /** The wait it is in; null while it runs. */
    @Nullable
    Waiter waiter;

    boolean isKilled;
    boolean isEnded;

    /** Yield points passed. */
    long steps;

    /** Event at which the store buffer got its oldest store; -1 when it is empty. */
    long windowSince = -1;

    /** Virtual time of that event. */
    long windowNanos;

    Activity(String name, SimulatedProcess process, boolean isActor) {
        this.name = name;
        this.isActor = isActor;
        this.process = process;
    }

    void throwIfKilled() {
        if (isKilled) {
            throw new SimulatedCrash(name);
        }
    }
}
