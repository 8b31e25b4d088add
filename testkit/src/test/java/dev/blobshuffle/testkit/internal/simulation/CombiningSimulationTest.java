package dev.blobshuffle.testkit.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.testkit.internal.simulation.CombiningSimulation.Outcome;
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
class CombiningSimulationTest {
    private static final int SEEDS = Integer.getInteger("combine.seeds", 200);
    private static final long SEED = Long.getLong("combine.seed", 1);

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void everyPromiseHoldsWithHubsThatFail() {
        AtomicLong combined = new AtomicLong();
        AtomicLong switches = new AtomicLong();
        Set<Fault> faults = ConcurrentHashMap.newKeySet();
        // Schedules share nothing, so that every core may run one.
        LongStream.range(SEED, SEED + SEEDS).parallel().forEach(seed -> {
            Outcome outcome = CombiningSimulation.run(seed);
            assertThat(outcome.violations())
                    .as(
                            "seed %d, after %s; replay it with -Dcombine.seeds=1 -Dcombine.seed=%d",
                            seed, outcome.shuffle().faults(), seed)
                    .isEmpty();
            combined.addAndGet(outcome.combined());
            switches.addAndGet(outcome.switches());
            faults.addAll(outcome.shuffle().faults().keySet());
        });
        if (SEEDS >= 100) {
            assertThat(faults).containsAll(EnumSet.copyOf(Fault.OF_COMBINING));
            assertThat(combined.get()).as("parts in hubs' blobs").isGreaterThan(5L * SEEDS);
            assertThat(switches.get())
                    .as("instances that began or ended to combine")
                    .isGreaterThan(5L * SEEDS);
        }
    }

    @Test
    void aSeedAlwaysGivesTheSameSchedule() {
        for (long seed = SEED; seed < SEED + 5; seed++) {
            assertThat(CombiningSimulation.run(seed)).isEqualTo(CombiningSimulation.run(seed));
        }
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void aPlantedBugIsFoundByItsViolationWithinAThousandSeeds(PlantedCombiningBug bug) {
        bug.mustBeFound(SEED, seed -> CombiningSimulation.run(seed, bug.seams()).violations());
    }
}
