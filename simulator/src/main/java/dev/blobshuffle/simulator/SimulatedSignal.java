package dev.blobshuffle.simulator;

import dev.blobshuffle.core.time.Signal;
import java.util.ArrayList;
import java.util.List;

/**
 * A signal under virtual time. A wait is a yield point. A report wakes each waiter after a short
 * random delay. Guarded by the baton.
 */
public final class SimulatedSignal implements Signal {
    private final Simulation simulation;
    private final List<Waiter> waiting = new ArrayList<>();
    private long count;

    SimulatedSignal(Simulation simulation) {
        this.simulation = simulation;
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public void raise() {
        count++;
        for (Waiter waiter : waiting) {
            simulation.resume(waiter, simulation.now() + simulation.shortDelay());
        }
        waiting.clear();
    }

    @Override
    public boolean await(long seen, long deadlineNanos) {
        Waiter waiter = simulation.waiter();
        if (count != seen) {
            // Real threads, too, are sometimes interrupted between a check and the next step.
            if (simulation.random(8) > 0) {
                waiter.activity.waiter = null;
                return true;
            }
            simulation.resume(waiter, simulation.now() + simulation.shortDelay());
        } else {
            long left = deadlineNanos - simulation.nanos();
            if (left <= 0) {
                waiter.activity.waiter = null;
                return false;
            }
            simulation.resume(waiter, simulation.in(left));
            waiting.add(waiter);
        }
        try {
            simulation.suspend(waiter);
        } finally {
            waiting.remove(waiter);
        }
        return count != seen;
    }
}
