package dev.blobshuffle.simulator.trial;

import dev.blobshuffle.core.internal.write.options.BatchScope;
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
 * The planner's model against the engine that it models: requests within 5 %, p50 and p95 within 15
 * %, in each configuration. Sizes are a 64th of the real ones, and so are the profile's bandwidths,
 * so that a blob of 256 KiB takes the time of one of 16 MiB. The table goes to
 * {@code target/plan-validation.md}.
 */
class PlanValidationTest {
    private static final double SCALE = ModelComparison.SCALE;
    private static final double KIB = 1024;
    private static final double MIB = 1 << 20;

    /** The first so many; by default those that differ most. */
    private static final int CONFIGURATIONS = Integer.getInteger("plan.configurations", 4);

    private static final Workload LOAD = Workload.builder()
            .bytesPerSecond(3 * 44 * MIB / SCALE)
            .recordBytes(512)
            .instances(3)
            .zones(3)
            .partitions(12)
            .commitInterval(Duration.ofSeconds(30))
            .build();

    private static final Tuning TUNING = Tuning.builder()
            .blobBytes(16 * MIB / SCALE)
            .delay(Duration.ofSeconds(5))
            .inlineBytes(0)
            .cache(Tuning.Cache.NONE)
            .build();

    private static List<ModelComparison> cases() {
        LatencyProfile paper = LatencyProfile.S3_BLOBSHUFFLE_PAPER.scaledDown(SCALE);
        LatencyProfile standard = LatencyProfile.S3_STANDARD.scaledDown(SCALE);
        Tuning half = TUNING.toBuilder().delay(Duration.ofMillis(500)).build();
        Tuning cached = TUNING.toBuilder().cache(Tuning.Cache.ZONE).build();
        Workload slow = LOAD.withBytesPerSecond(3 * 10 * MIB / SCALE);
        Workload threads = LOAD.toBuilder().threads(4).build();
        Workload often =
                LOAD.toBuilder().commitInterval(Duration.ofMillis(1_200)).build();
        Workload once = LOAD.toBuilder().guarantee(Guarantee.EXACTLY_ONCE_V2).build();
        Workload patient =
                once.toBuilder().commitInterval(Duration.ofSeconds(2)).build();
        return List.of(
                new ModelComparison(
                        "exactly-once, 2 s commits, 500 ms, a cache per zone",
                        patient,
                        half.toBuilder().cache(Tuning.Cache.ZONE).build(),
                        paper,
                        150),
                new ModelComparison(
                        "4 threads, blobs of their own, 500 ms",
                        threads,
                        half.toBuilder().scope(BatchScope.LANE).build(),
                        paper,
                        60),
                new ModelComparison(
                        "100 ms",
                        LOAD,
                        half.toBuilder().delay(Duration.ofMillis(100)).build(),
                        standard,
                        40),
                new ModelComparison(
                        "inlined, 50 ms",
                        slow,
                        half.toBuilder()
                                .delay(Duration.ofMillis(50))
                                .inlineBytes(16 * KIB)
                                .build(),
                        paper,
                        30),
                new ModelComparison("16 MiB by size, a cache per zone", LOAD, cached, paper, 150),
                new ModelComparison("the same, no cache, s3-standard", LOAD, TUNING, standard, 150),
                new ModelComparison(
                        "4 MiB by size",
                        LOAD,
                        TUNING.toBuilder().blobBytes(4 * MIB / SCALE).build(),
                        paper,
                        60),
                new ModelComparison("500 ms, two blobs", LOAD, half, paper, 90),
                new ModelComparison("500 ms, one blob, low rate", slow, half, paper, 90),
                new ModelComparison(
                        "4 threads share blobs, 500 ms, a cache per zone",
                        threads,
                        half.toBuilder().cache(Tuning.Cache.ZONE).build(),
                        paper,
                        90),
                new ModelComparison("commits every 1.2 s", often, TUNING, paper, 150),
                new ModelComparison("exactly-once, 100 ms commits", once, TUNING, standard, 90),
                new ModelComparison(
                        "2 instances per zone, 500 ms",
                        LOAD.toBuilder().instances(6).build(),
                        half,
                        paper,
                        90),
                new ModelComparison(
                        "500 ms, hedged, a cache per zone",
                        LOAD,
                        half.toBuilder()
                                .cache(Tuning.Cache.ZONE)
                                .hedgedShare(0.05)
                                .build(),
                        paper,
                        90));
    }

    @Test
    void theModelPredictsWhatTheEngineDoes() throws IOException {
        ModelComparison.check(cases().stream().limit(CONFIGURATIONS).toList(), Path.of("target", "plan-validation.md"));
    }
}
