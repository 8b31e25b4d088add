package dev.blobshuffle.simulator.trial;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.planner.Tuning;
import dev.blobshuffle.planner.Workload;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * The gain of a store of two speeds: the real engine under virtual time, with the latencies of the
 * paper for the durable store and those assumed for S3 Express One Zone for the fast one. Sizes and
 * bandwidths are a 64th of the real ones. The output of the test has the percentiles.
 */
class TwoSpeedGainTest {
    private static final double SCALE = 64;
    private static final double MIB = 1 << 20;
    private static final LatencyProfile DURABLE = LatencyProfile.S3_BLOBSHUFFLE_PAPER.scaledDown(SCALE);
    private static final LatencyProfile FAST = LatencyProfile.S3_EXPRESS.scaledDown(SCALE);

    private static Workload load(Workload.Guarantee guarantee, Duration commits) {
        return Workload.builder()
                .bytesPerSecond(3 * 44 * MIB / SCALE)
                .recordBytes(512)
                .instances(3)
                .zones(3)
                .partitions(12)
                .guarantee(guarantee)
                .commitInterval(commits)
                .build();
    }

    private static ModelledRun.Measured run(Workload workload, boolean isFast) {
        Tuning tuning = Tuning.builder()
                .blobBytes(4 * MIB / SCALE)
                .delay(Duration.ofMillis(50))
                .inlineBytes(0)
                .cache(Tuning.Cache.NONE)
                .build();
        try (SimulatedTime time = new SimulatedTime(7)) {
            ModelledRun run = new ModelledRun(workload, tuning, DURABLE, 20, time);
            ModelledRun.Measured measured = (isFast ? run.withFastStore(FAST) : run).run();
            System.out.printf(
                    "%s, fast store %s: p50 %.0f ms, p95 %.0f ms%n",
                    workload.guarantee(), isFast, measured.p50() * 1e3, measured.p95() * 1e3);
            return measured;
        }
    }

    @Test
    void recordsArriveEarlierAtLeastOnce() {
        Workload workload = load(Workload.Guarantee.AT_LEAST_ONCE, Duration.ofSeconds(30));

        ModelledRun.Measured slow = run(workload, false);
        ModelledRun.Measured early = run(workload, true);

        assertThat(early.p95()).isLessThan(0.250).isLessThan(slow.p95() / 2);
        assertThat(early.p50()).isLessThan(0.150).isLessThan(slow.p50() / 2);
    }

    /** Readers see nothing before the commit, and the commit waits for the durable store. */
    @Test
    void exactlyOnceGainsLittleWithShortCommitIntervals() {
        Workload workload = load(Workload.Guarantee.EXACTLY_ONCE_V2, Duration.ofMillis(500));

        ModelledRun.Measured slow = run(workload, false);
        ModelledRun.Measured early = run(workload, true);

        assertThat(early.p95()).isGreaterThan(0.7 * slow.p95());
    }
}
