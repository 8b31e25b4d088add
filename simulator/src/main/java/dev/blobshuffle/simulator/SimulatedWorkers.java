package dev.blobshuffle.simulator;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.time.Time;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A pool under virtual time. Each thread takes the next task after a short random delay. Guarded by
 * the baton.
 */
public final class SimulatedWorkers implements Time.Workers {
    private final Simulation simulation;
    private final SimulatedProcess process;
    private final String name;
    private final int threads;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private int busy;
    private boolean isClosed;

    SimulatedWorkers(Simulation simulation, SimulatedProcess process, String name, int threads) {
        this.simulation = simulation;
        this.process = process;
        this.name = name;
        this.threads = threads;
    }

    @Override
    public void execute(Runnable task) {
        if (isClosed) {
            throw new ClosedException("Cannot run a task: the workers '" + name
                    + "' are closed. Give no work to a component that was closed.");
        }
        tasks.add(task);
        if (busy < threads) {
            busy++;
            startNext();
        }
    }

    private void startNext() {
        Activity activity = process.activity(name, false);
        simulation.activity(simulation.now() + simulation.shortDelay(), activity, () -> {
            try {
                Runnable task = tasks.poll();
                if (task != null) {
                    task.run();
                }
            } finally {
                if (tasks.isEmpty()) {
                    busy--;
                } else {
                    startNext();
                }
            }
        });
    }

    @Override
    public void close() {
        isClosed = true;
        tasks.clear();
    }
}
