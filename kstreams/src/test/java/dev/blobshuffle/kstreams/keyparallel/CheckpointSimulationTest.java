package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.simulator.SimulatedTime;
import org.junit.jupiter.api.Test;

/**
 * Commits that do not wait, and crashes at any moment: nothing is lost, keys stay in order, and
 * under exactly-once nothing is duplicated. {@code -Dkeyparallel.seeds=N} for more.
 */
class CheckpointSimulationTest {
    private static final int SEEDS = Integer.getInteger("keyparallel.seeds", 300);
    private static final long FIRST = Long.getLong("keyparallel.seed", 1);

    @Test
    void eachRecordHasItsResultInEverySchedule() {
        int stored = 0;
        int recovered = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            try (SimulatedTime time = new SimulatedTime(seed)) {
                CheckpointSchedule schedule = new CheckpointSchedule(time);
                schedule.run();
                stored += schedule.stored();
                recovered += schedule.recovered();
            } catch (AssertionError e) {
                throw new AssertionError(
                        "Seed " + seed + " failed: -Dkeyparallel.seeds=1 -Dkeyparallel.seed=" + seed, e);
            }
        }
        if (SEEDS > 100) {
            assertThat(stored).as("records that were pending at a commit").isGreaterThan(SEEDS);
            assertThat(recovered).as("records that were taken up again").isGreaterThan(SEEDS);
        }
    }
}
