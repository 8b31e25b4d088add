package dev.blobshuffle.flink.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.simulator.SimulatedTime;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** System properties set the seeds: {@code docs/testing/simulation.md}. */
class FlinkSimulationTest {
    private static final int SEEDS = Integer.getInteger("flink.seeds", 300);
    private static final long SEED = Long.getLong("flink.seed", 1);

    /** How a schedule went. */
    private record Outcome(
            long seed, long steps, Map<FlinkFault, Integer> faults, List<String> violations, long trace) {}

    private static Outcome run(long seed) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            JobManager job = new JobManager(time);
            try {
                boolean ignored = time.actor("jobmanager", job::run).isAlive();
                time.run();
            } catch (AssertionError e) {
                job.ledger().violation(SimulatedTask.describe(e));
            }
            return new Outcome(
                    seed, time.steps(), job.ledger().faults(), job.ledger().violations(), time.trace());
        }
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void everyPromiseHoldsInEverySchedule() {
        List<Outcome> outcomes = LongStream.range(SEED, SEED + SEEDS)
                .parallel()
                .mapToObj(FlinkSimulationTest::run)
                .toList();
        Set<FlinkFault> happened = EnumSet.noneOf(FlinkFault.class);
        for (Outcome outcome : outcomes) {
            assertThat(outcome.violations())
                    .as(
                            "seed %d, after %d steps and %s; replay it with%n  %s",
                            outcome.seed(), outcome.steps(), outcome.faults(), replay(outcome.seed()))
                    .isEmpty();
            happened.addAll(outcome.faults().keySet());
        }
        if (SEEDS >= 300) {
            assertThat(happened).containsExactlyInAnyOrder(FlinkFault.values());
        }
    }

    private static String replay(long seed) {
        return "./mvnw -pl flink -am test -Dtest=FlinkSimulationTest#everyPromiseHoldsInEverySchedule "
                + "-Dsurefire.failIfNoSpecifiedTests=false -Dflink.seeds=1 -Dflink.seed=" + seed;
    }

    @Test
    void aSeedAlwaysGivesTheSameSchedule() {
        for (long seed = SEED; seed < SEED + 20; seed++) {
            assertThat(run(seed)).isEqualTo(run(seed));
        }
    }
}
