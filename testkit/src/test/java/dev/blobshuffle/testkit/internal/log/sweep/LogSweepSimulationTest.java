package dev.blobshuffle.testkit.internal.log.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.log.internal.sweep.LogSweepOptions;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.log.LogDefect;
import dev.blobshuffle.testkit.internal.log.sweep.LogSweepWorld.Database;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/**
 * Publishers and sweepers of a log, and of a clone of its database, with crashes and lost answers,
 * in thousands of orders of their steps. No blob that a live database needs is deleted; without a
 * part of the protocol, one is.
 */
class LogSweepSimulationTest {
    /** When publishers end; sweepers then have the rest of the time to clean up. */
    static final Duration QUIET = Duration.ofMinutes(50);

    private static final Duration END = Duration.ofMinutes(110);
    private static final int SEEDS = Integer.getInteger("simulation.sweeps", 25);

    /** A control ends at the first seed that finds something. */
    private static final int MOST_SEEDS = 1_000;

    private static final LogSweepOptions SAFE = new LogSweepOptions(
            Duration.ofMinutes(1), Duration.ofMinutes(3), Duration.ofMinutes(30), Duration.ZERO, 1_000);
    private static final LogSweepOptions WITHOUT_OBJECTION =
            new LogSweepOptions(Duration.ofMinutes(1), Duration.ZERO, Duration.ofMinutes(30), Duration.ZERO, 1_000);

    /** One log, three instances that crash and come back: orphans go, and nothing else. */
    private static List<String> playAlone(long seed, Set<LogDefect> defects) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            LogSweepWorld world = new LogSweepWorld(time, SAFE);
            Database database = world.database(defects);
            time.actor("operator", () -> {
                List<SimulatedProcess> running = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    running.add(world.instance(database, "writer-" + i));
                }
                while (time.elapsed().compareTo(QUIET) < 0) {
                    time.pause(Duration.ofSeconds(time.random(600)));
                    int victim = time.random(3);
                    running.get(victim).kill();
                    time.pause(Duration.ofSeconds(time.random(60)));
                    running.set(victim, world.instance(database, "writer-" + victim));
                }
                time.pause(END.minus(time.elapsed()));
                running.forEach(SimulatedProcess::kill);
            });
            time.run();
            world.check();
            if (!world.orphans().isEmpty()) {
                world.violations.add("orphans are left: " + world.orphans());
            }
            if (world.store.claims().orElse("").contains("contest")) {
                world.violations.add("contested: " + world.store.claims());
            }
            return world.violations;
        }
    }

    /**
     * A clone is made while the original works; it sweeps, with or without instances of its own.
     */
    private static List<String> playClone(long seed, LogSweepOptions options) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            LogSweepWorld world = new LogSweepWorld(time, options);
            Database original = world.database(Set.of());
            time.actor("operator", () -> {
                List<SimulatedProcess> running = new ArrayList<>();
                running.add(world.instance(original, "writer"));
                time.pause(Duration.ofSeconds(60 + time.random(600)));
                Database clone = world.clone(original);
                if (time.random(3) == 0) {
                    running.add(world.instance(clone, "writer"));
                } else {
                    running.add(world.sweeper(clone));
                }
                time.pause(Duration.ofSeconds(time.random(1_800)));
                running.get(1).kill(); // What it has sent has its effect all the same.
                running.set(1, world.sweeper(clone));
                time.pause(END.minus(time.elapsed()));
                running.forEach(SimulatedProcess::kill);
            });
            time.run();
            world.check();
            return world.violations;
        }
    }

    /** The first violation of any seed; empty if there is none. */
    private static String found(LongFunction<List<String>> play) {
        for (long seed = 0; seed < MOST_SEEDS; seed++) {
            List<String> violations = play.apply(seed);
            if (!violations.isEmpty()) {
                return violations.get(0);
            }
        }
        return "";
    }

    @Test
    void aLogAloneLosesNothingAndLeavesNoOrphan() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(playAlone(seed, Set.of())).as("seed %d", seed).isEmpty();
        }
    }

    @Test
    void noBlobThatEitherDatabaseNeedsIsDeleted() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(playClone(seed, SAFE)).as("seed %d", seed).isEmpty();
        }
    }

    @Test
    void withoutTimeForObjectionsTheCloneDeletes() {
        assertThat(found(seed -> playClone(seed, WITHOUT_OBJECTION))).contains("needs was deleted");
    }
}
