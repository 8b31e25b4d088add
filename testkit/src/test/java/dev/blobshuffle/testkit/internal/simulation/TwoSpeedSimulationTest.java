package dev.blobshuffle.testkit.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.testkit.internal.simulation.FastCopies.Fleet;
import dev.blobshuffle.testkit.internal.simulation.TwoSpeedSimulation.Outcome;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** System properties set the seeds: {@code docs/testing/simulation.md}. */
class TwoSpeedSimulationTest {
    private static final int SEEDS = Integer.getInteger("twospeed.seeds", 200);
    private static final long SEED = Long.getLong("twospeed.seed", 1);

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void everyPromiseHoldsWhenEitherStoreFails() {
        AtomicLong early = new AtomicLong();
        AtomicLong skipped = new AtomicLong();
        Set<Fault> faults = ConcurrentHashMap.newKeySet();
        // Schedules share nothing, so that every core may run one.
        LongStream.range(SEED, SEED + SEEDS).parallel().forEach(seed -> {
            Outcome outcome = TwoSpeedSimulation.run(seed);
            assertThat(outcome.violations())
                    .as(
                            "seed %d, after %s; replay it with -Dtwospeed.seeds=1 -Dtwospeed.seed=%d",
                            seed, outcome.shuffle().faults(), seed)
                    .isEmpty();
            early.addAndGet(outcome.early());
            skipped.addAndGet(outcome.skipped());
            faults.addAll(outcome.shuffle().faults().keySet());
        });
        if (SEEDS >= 100) {
            assertThat(faults).containsAll(EnumSet.copyOf(Fault.OF_TWO_SPEEDS));
            assertThat(early.get()).as("blobs announced early").isGreaterThan(2L * SEEDS);
            assertThat(skipped.get()).as("blobs lost with their writers").isPositive();
        }
    }

    /** First all instances learn to read from the fast store, then they announce early. */
    @ParameterizedTest
    @EnumSource(names = {"LEARNING", "SWITCHING"})
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void everyPromiseHoldsWhileAFleetChangesItsSettings(Fleet fleet) {
        AtomicLong early = new AtomicLong();
        LongStream.range(SEED, SEED + SEEDS / 2).parallel().forEach(seed -> {
            Outcome outcome = TwoSpeedSimulation.run(seed, Seams.NONE, fleet);
            assertThat(outcome.violations()).as("seed %d", seed).isEmpty();
            early.addAndGet(outcome.early());
        });
        if (fleet == Fleet.LEARNING) {
            assertThat(early.get()).isZero();
        } else if (SEEDS >= 100) {
            assertThat(early.get()).as("blobs announced early").isGreaterThan(SEEDS / 2L);
        }
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void anInstanceThatWasNotPreparedIsFound() {
        for (long seed = SEED; seed < SEED + 1000; seed++) {
            if (TwoSpeedSimulation.run(seed, Seams.NONE, Fleet.UNPREPARED).violations().stream()
                    .anyMatch(violation -> violation.startsWith("an earlier instance reads"))) {
                return;
            }
        }
        throw new AssertionError("No earlier instance has read a blob that was not durable.");
    }

    @Test
    void aSeedAlwaysGivesTheSameSchedule() {
        for (long seed = SEED; seed < SEED + 5; seed++) {
            assertThat(TwoSpeedSimulation.run(seed)).isEqualTo(TwoSpeedSimulation.run(seed));
        }
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void aPlantedBugIsFoundByItsViolationWithinAThousandSeeds(PlantedTwoSpeedBug bug) {
        bug.mustBeFound(SEED, seed -> TwoSpeedSimulation.run(seed, bug.seams()).violations());
    }
}
