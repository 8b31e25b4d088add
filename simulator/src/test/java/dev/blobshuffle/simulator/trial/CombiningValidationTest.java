package dev.blobshuffle.simulator.trial;

import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.planner.Tuning;
import dev.blobshuffle.planner.Workload;
import dev.blobshuffle.planner.Workload.Guarantee;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The planner's model of combining against contributors, hubs and readers under virtual time. The
 * table goes to {@code target/combining-validation.md}.
 */
class CombiningValidationTest {
    private static final double MIB = 1 << 20;
    private static final double SCALE = ModelComparison.SCALE;

    /** The first so many; by default those that differ most. */
    private static final int CONFIGURATIONS = Integer.getInteger("plan.configurations", 3);

    /** Eight instances in each zone with 1 MiB/s each. */
    private static final Workload FLEET = Workload.builder()
            .bytesPerSecond(24 * MIB / SCALE)
            .recordBytes(64)
            .instances(24)
            .zones(3)
            .partitions(12)
            .commitInterval(Duration.ofSeconds(30))
            .build();

    private static final Tuning TUNING = Tuning.builder()
            .blobBytes(16 * MIB / SCALE)
            .delay(Duration.ofMillis(500))
            .inlineBytes(0)
            .cache(Tuning.Cache.ZONE)
            .combining(Tuning.Combining.ZONE)
            .build();

    private static List<ModelComparison> cases() {
        LatencyProfile paper = LatencyProfile.S3_BLOBSHUFFLE_PAPER.scaledDown(SCALE);
        LatencyProfile standard = LatencyProfile.S3_STANDARD.scaledDown(SCALE);
        Workload once = FLEET.toBuilder().guarantee(Guarantee.EXACTLY_ONCE_V2).build();
        Workload large =
                FLEET.toBuilder().instances(96).bytesPerSecond(96 * MIB / SCALE).build();
        Tuning hedged = TUNING.toBuilder().hedgedShare(0.05).build();
        Workload threshold = Workload.builder()
                .bytesPerSecond(4 * MIB)
                .instances(96)
                .partitions(216)
                .build();
        Tuning unscaled = TUNING.toBuilder()
                .blobBytes(4 * MIB)
                .delay(Duration.ofMillis(750))
                .build();
        return List.of(
                new ModelComparison(
                        "4 MiB/s over 96 instances, 750 ms, s3-standard",
                        threshold,
                        unscaled,
                        LatencyProfile.S3_STANDARD,
                        30),
                new ModelComparison(
                        "8 per zone, exactly-once, 100 ms commits, s3-standard",
                        once,
                        TUNING.toBuilder().delay(Duration.ofSeconds(5)).build(),
                        standard,
                        30),
                new ModelComparison("8 per zone, 500 ms", FLEET, TUNING, paper, 45),
                new ModelComparison(
                        "32 per zone, two blobs, 500 ms, s3-standard",
                        large,
                        TUNING.toBuilder().blobBytes(12 * MIB / SCALE).build(),
                        standard,
                        30),
                new ModelComparison(
                        "8 per zone, a quarter of the load, 500 ms, s3-standard",
                        FLEET.withBytesPerSecond(6 * MIB / SCALE),
                        TUNING,
                        standard,
                        60),
                new ModelComparison("8 per zone, 500 ms, hedged", FLEET, hedged, paper, 60));
    }

    @Test
    void theModelPredictsWhatHubsDo() throws IOException {
        ModelComparison.check(
                cases().stream().limit(CONFIGURATIONS).toList(), Path.of("target", "combining-validation.md"));
    }
}
