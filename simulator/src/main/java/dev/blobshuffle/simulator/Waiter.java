package dev.blobshuffle.simulator;

import org.jspecify.annotations.Nullable;

/**
 * One wait of an activity, which ends once: by a report, a deadline or a kill. Guarded by the
 * baton.
 */
public final class Waiter {
    final Activity activity;
    final Carrier carrier;

    /** The event that ends the wait; null until there is one. */
    @Nullable
    SimulationEvent end;

    Waiter(Activity activity, Carrier carrier) {
        this.activity = activity;
        this.carrier = carrier;
    }
}
