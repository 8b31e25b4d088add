package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.simulator.SimulatedTime;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Random calls under virtual time: order, nothing lost or duplicated, budgets returned, every drain
 * ends. {@code -Dkeyparallel.seeds=N} for more.
 */
class ParallelCallsSimulationTest {
    private static final int SEEDS = Integer.getInteger("keyparallel.seeds", 400);
    private static final long FIRST = Long.getLong("keyparallel.seed", 1);

    @Test
    void everyPromiseHoldsInEverySchedule() {
        Set<Ordering> seen = EnumSet.noneOf(Ordering.class);
        int failures = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            try (SimulatedTime time = new SimulatedTime(seed)) {
                CallSchedule schedule = new CallSchedule(time);
                schedule.run();
                seen.add(schedule.ordering());
                failures += schedule.failures();
            } catch (AssertionError e) {
                throw new AssertionError(
                        "Seed " + seed + " failed: -Dkeyparallel.seeds=1 -Dkeyparallel.seed=" + seed, e);
            }
        }
        if (SEEDS > 100) {
            assertThat(seen).as("orderings that were tried").hasSize(4);
            assertThat(failures).as("calls that failed for good").isPositive();
        }
    }
}
