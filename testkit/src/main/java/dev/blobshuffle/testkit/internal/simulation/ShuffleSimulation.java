package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.simulator.SimulatedTime;
import java.util.List;
import java.util.Map;

/**
 * Runs the real engine through schedules of faults that a seed decides: writers and readers in
 * several processes, with and without transactions, over a store and a log that fail, answer late,
 * answer wrongly; processes and threads that are killed at any step, replaced, rolled back.
 *
 * <p>At the end of every schedule must hold: every committed record is delivered once (with
 * transactions) or at least once, in order per writer and key; no notification names bytes that are
 * not stored; nothing is sent outside its transaction; every byte of the write and read budgets
 * came back.
 */
public final class ShuffleSimulation {
    private ShuffleSimulation() {}

    /**
     * The outcome of a schedule.
     *
     * @param steps events of the scheduler
     * @param faults the faults that were injected, and how often
     * @param violations the promises that were broken; empty when all held
     * @param trace a number that two runs of one seed share
     */
    public record Outcome(long seed, long steps, Map<Fault, Integer> faults, List<String> violations, long trace) {
        /** Copies the collections. */
        public Outcome {
            faults = Map.copyOf(faults);
            violations = List.copyOf(violations);
        }

        /** Number of faults that were injected. */
        public int faultCount() {
            return faults.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    /** Runs the schedule of one seed with the engine as it is. */
    public static Outcome run(long seed) {
        return run(seed, Seams.NONE);
    }

    /**
     * Runs the schedule of one seed with yield points at locks, atomics and volatile fields. The
     * engine's classes must be woven, and loaded by the loader of this class.
     */
    static Outcome runInterleaved(long seed) {
        return run(SimulatedTime.interleaved(seed), Seams.NONE);
    }

    /** Runs the schedule of one seed with a faulty part. */
    public static Outcome run(long seed, Seams seams) {
        return run(new SimulatedTime(seed), seams);
    }

    private static Outcome run(SimulatedTime started, Seams seams) {
        try (SimulatedTime time = started) {
            return run(time, new World(time, seams));
        }
    }

    /** Runs a world that has not started. */
    static Outcome run(SimulatedTime time, World world) {
        Ledger ledger = world.ledger();
        try {
            world.run();
        } catch (AssertionError e) {
            ledger.violation(String.valueOf(e.getMessage()) + (e.getCause() == null ? "" : ": " + stack(e.getCause())));
        }
        return new Outcome(time.seed(), time.steps(), ledger.faults(), ledger.violations(), time.trace());
    }

    private static String stack(Throwable failure) {
        StringBuilder text = new StringBuilder(failure.toString());
        StackTraceElement[] frames = failure.getStackTrace();
        for (int i = 0; i < Math.min(frames.length, 12); i++) {
            text.append("\n      at ").append(frames[i]);
        }
        return text.toString();
    }
}
