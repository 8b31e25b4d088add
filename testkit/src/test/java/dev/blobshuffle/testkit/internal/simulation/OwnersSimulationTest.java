package dev.blobshuffle.testkit.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.simulator.SimulatedTime;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Applications of several clusters use one store: real engines, sweepers and claims, and the real
 * register. System properties set the seeds: {@code docs/testing/simulation.md}.
 */
class OwnersSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("simulation.owners", 150);
    private static final long SEED = Long.getLong("simulation.seed", 1);

    /** How a schedule went. */
    private record Outcome(
            long seed, int deleted, Map<OwnersFault, Integer> faults, List<String> violations, long trace) {}

    private static Outcome run(long seed) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            OwnersWorld world = new OwnersWorld(time);
            world.run();
            return new Outcome(
                    seed, world.deleted(), world.faults(), world.ledger().violations(), time.trace());
        }
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void noSweepDeletesWhatOthersMayNeed() {
        List<Outcome> outcomes = LongStream.range(SEED, SEED + SCHEDULES)
                .parallel()
                .mapToObj(OwnersSimulationTest::run)
                .toList();
        for (Outcome outcome : outcomes) {
            assertThat(outcome.violations())
                    .as(
                            "seed %d, after %s; replay it with%n  ./mvnw -pl testkit -am test"
                                    + " -Dtest=OwnersSimulationTest#noSweepDeletesWhatOthersMayNeed"
                                    + " -Dsurefire.failIfNoSpecifiedTests=false -Dsimulation.owners=1"
                                    + " -Dsimulation.seed=%d",
                            outcome.seed(), outcome.faults(), outcome.seed())
                    .isEmpty();
        }
        if (SCHEDULES >= 100) {
            requireAll(outcomes);
        }
    }

    /** Schedules in which nothing happens, or nothing is deleted, would prove nothing. */
    private static void requireAll(List<Outcome> outcomes) {
        Map<OwnersFault, Integer> faults = new EnumMap<>(OwnersFault.class);
        outcomes.forEach(
                outcome -> outcome.faults().forEach((fault, count) -> faults.merge(fault, count, Integer::sum)));
        assertThat(faults).containsOnlyKeys(OwnersFault.values());
        assertThat(outcomes.stream().filter(outcome -> outcome.deleted() > 0))
                .as("schedules in which blobs are deleted")
                .hasSizeGreaterThan(SCHEDULES / 5);
    }

    @Test
    void aSeedAlwaysGivesTheSameSchedule() {
        for (long seed = SEED; seed < SEED + 5; seed++) {
            assertThat(run(seed)).isEqualTo(run(seed));
        }
    }
}
