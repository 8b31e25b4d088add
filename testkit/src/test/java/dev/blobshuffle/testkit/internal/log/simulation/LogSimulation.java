package dev.blobshuffle.testkit.internal.log.simulation;

import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.log.LogDefect;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs the schedule of a seed. */
final class LogSimulation {
    private LogSimulation() {}

    /**
     * How a schedule went.
     *
     * @param steps events of the scheduler
     * @param faults the faults that were injected, and how often
     * @param violations the promises that were broken; empty when all held
     * @param trace a number that two runs of one seed share
     */
    record Outcome(long seed, long steps, Map<LogFault, Integer> faults, List<String> violations, long trace) {}

    /** Runs the schedule of a seed. */
    static Outcome run(long seed) {
        return run(seed, Set.of(), Set.of());
    }

    /** Runs the schedule of a seed with a mistake. */
    static Outcome run(long seed, PlantedLogBug bug) {
        return run(
                seed,
                bug.ofLog().map(Set::of).orElse(Set.of()),
                bug.ofClient().map(Set::of).orElse(Set.of()));
    }

    private static Outcome run(long seed, Set<LogDefect> ofLog, Set<ClientDefect> ofClients) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            LogWorld world = new LogWorld(time, ofLog, ofClients);
            LogLedger ledger = world.ledger();
            try {
                world.run();
            } catch (AssertionError e) {
                ledger.violation(e.getMessage() + (e.getCause() == null ? "" : ": " + stack(e.getCause())));
            }
            return new Outcome(seed, time.steps(), ledger.faults(), ledger.violations(), time.trace());
        }
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
