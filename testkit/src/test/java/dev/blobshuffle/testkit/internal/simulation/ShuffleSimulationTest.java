package dev.blobshuffle.testkit.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.testkit.internal.simulation.ShuffleSimulation.Outcome;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** System properties set the seeds: {@code docs/testing/simulation.md}. */
class ShuffleSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("simulation.schedules", 500);
    private static final long SEED = Long.getLong("simulation.seed", 1);

    /** Whether hunts begin at the first seed, also for a bug that few seeds find. */
    private static final boolean IS_FULL_HUNT = Boolean.getBoolean("simulation.hunt");

    private static final long FINDS_EARLY_SWEEP = 612;

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void everyPromiseHoldsInEverySchedule() {
        // Schedules share nothing, so that every core may run one.
        LongStream.range(SEED, SEED + SCHEDULES).parallel().forEach(ShuffleSimulationTest::everyPromiseHolds);
    }

    private static void everyPromiseHolds(long seed) {
        Outcome outcome = ShuffleSimulation.run(seed);
        assertThat(outcome.violations())
                .as(
                        "seed %d, after %d steps and %s; replay it with%n  %s",
                        seed, outcome.steps(), outcome.faults(), replay(seed))
                .isEmpty();
        assertThat(outcome.steps()).as("steps of seed %d", seed).isGreaterThanOrEqualTo(200);
        assertThat(outcome.faultCount()).as("faults of seed %d", seed).isGreaterThanOrEqualTo(3);
    }

    private static String replay(long seed) {
        return "./mvnw -pl testkit -am test -Dtest=ShuffleSimulationTest#everyPromiseHoldsInEverySchedule "
                + "-Dsurefire.failIfNoSpecifiedTests=false -Dsimulation.schedules=1 -Dsimulation.seed=" + seed;
    }

    @Test
    void aSeedAlwaysGivesTheSameSchedule() {
        for (long seed = SEED; seed < SEED + 20; seed++) {
            assertThat(ShuffleSimulation.run(seed)).isEqualTo(ShuffleSimulation.run(seed));
        }
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void aPlantedBugIsFoundByItsViolationWithinAThousandSeeds(PlantedBug bug) {
        long first = bug == PlantedBug.SWEEPS_TOO_EARLY && !IS_FULL_HUNT ? FINDS_EARLY_SWEEP : SEED;
        bug.mustBeFound(first, seed -> ShuffleSimulation.run(seed, bug).violations());
    }
}
