package dev.blobshuffle.simulator.trial;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.core.internal.write.options.BatchScope;
import dev.blobshuffle.planner.Estimate;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.planner.ShuffleModel;
import dev.blobshuffle.planner.Tuning;
import dev.blobshuffle.planner.Workload;
import dev.blobshuffle.planner.Workload.Guarantee;
import dev.blobshuffle.simulator.SimulatedTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * The planner's model against the engine that it models: requests within 5 %, p50 and p95 within 15
 * %, in each configuration. Sizes are a 64th of the real ones, and so are the profile's bandwidths,
 * so that a blob of 256 KiB takes the time of one of 16 MiB. The table goes to
 * {@code target/plan-validation.md}.
 */
class PlanValidationTest {
    private static final double SCALE = 64;
    private static final double KIB = 1024;
    private static final double MIB = 1 << 20;
    private static final long SEED = 7;

    /** The first so many; by default those that differ most. */
    private static final int CONFIGURATIONS = Integer.getInteger("plan.configurations", 4);

    /** One configuration. */
    private record Case(String name, Workload workload, Tuning tuning, LatencyProfile profile, double seconds) {}

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

    private static List<Case> cases() {
        LatencyProfile paper = LatencyProfile.S3_BLOBSHUFFLE_PAPER;
        LatencyProfile standard = LatencyProfile.S3_STANDARD;
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
                new Case(
                        "exactly-once, 2 s commits, 500 ms, a cache per zone",
                        patient,
                        half.toBuilder().cache(Tuning.Cache.ZONE).build(),
                        paper,
                        150),
                new Case(
                        "4 threads, blobs of their own, 500 ms",
                        threads,
                        half.toBuilder().scope(BatchScope.LANE).build(),
                        paper,
                        60),
                new Case(
                        "100 ms",
                        LOAD,
                        half.toBuilder().delay(Duration.ofMillis(100)).build(),
                        standard,
                        40),
                new Case(
                        "inlined, 50 ms",
                        slow,
                        half.toBuilder()
                                .delay(Duration.ofMillis(50))
                                .inlineBytes(16 * KIB)
                                .build(),
                        paper,
                        30),
                new Case("16 MiB by size, a cache per zone", LOAD, cached, paper, 150),
                new Case("the same, no cache, s3-standard", LOAD, TUNING, standard, 150),
                new Case(
                        "4 MiB by size",
                        LOAD,
                        TUNING.toBuilder().blobBytes(4 * MIB / SCALE).build(),
                        paper,
                        60),
                new Case("500 ms, two blobs", LOAD, half, paper, 90),
                new Case("500 ms, one blob, low rate", slow, half, paper, 90),
                new Case(
                        "4 threads share blobs, 500 ms, a cache per zone",
                        threads,
                        half.toBuilder().cache(Tuning.Cache.ZONE).build(),
                        paper,
                        90),
                new Case("commits every 1.2 s", often, TUNING, paper, 150),
                new Case("exactly-once, 100 ms commits", once, TUNING, standard, 90),
                new Case(
                        "2 instances per zone, 500 ms",
                        LOAD.toBuilder().instances(6).build(),
                        half,
                        paper,
                        90),
                new Case(
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
        StringBuilder table = new StringBuilder(
                "| configuration | PUT/s model / run | GET/s | p50 s | p95 s | largest difference |\n|---|---|---|---|---|---|\n");
        List<String> misses = new ArrayList<>();
        List<Case> chosen = cases().stream().limit(CONFIGURATIONS).toList();
        for (Row row : chosen.parallelStream().map(PlanValidationTest::compare).toList()) {
            table.append(row.text());
            if (row.isMiss()) {
                misses.add(row.name());
            }
        }
        Files.writeString(Path.of("target", "plan-validation.md"), table);
        assertThat(misses).describedAs("%n%s", table).isEmpty();
    }

    /** What became of a configuration. */
    private record Row(String name, String text, boolean isMiss) {}

    private static Row compare(Case each) {
        LatencyProfile profile = each.profile().scaledDown(SCALE);
        ModelledRun.Measured measured;
        try (SimulatedTime time = new SimulatedTime(SEED)) {
            measured = new ModelledRun(each.workload(), each.tuning(), profile, each.seconds(), time).run();
        }
        ShuffleModel model = new ShuffleModel(PriceTables.named("aws"), profile)
                .withChannel(ModelledRun.CHANNEL.toNanos() / 1e9, ModelledRun.ACKNOWLEDGED.toNanos() / 1e9);
        Estimate estimate =
                model.estimate(each.workload().withBytesPerSecond(measured.bytesPerSecond()), each.tuning(), 10_000);
        double puts = difference(estimate.traffic().puts(), measured.puts());
        double gets = difference(estimate.traffic().gets(), measured.gets());
        double p50 = difference(estimate.latencies().p50(), measured.p50());
        double p95 = difference(estimate.latencies().p95(), measured.p95());
        String text = String.format(
                Locale.ROOT,
                "| %s | %.2f / %.2f | %.2f / %.2f | %.3f / %.3f | %.3f / %.3f | requests %.1f %%, latency %.1f %% |%n",
                each.name(),
                estimate.traffic().puts(),
                measured.puts(),
                estimate.traffic().gets(),
                measured.gets(),
                estimate.latencies().p50(),
                measured.p50(),
                estimate.latencies().p95(),
                measured.p95(),
                100 * Math.max(puts, gets),
                100 * Math.max(p50, p95));
        return new Row(each.name(), text, puts > 0.05 || gets > 0.05 || p50 > 0.15 || p95 > 0.15);
    }

    private static double difference(double predicted, double measured) {
        return predicted == measured ? 0 : Math.abs(predicted - measured) / Math.max(measured, 1e-9);
    }
}
