package dev.blobshuffle.simulator.trial;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.planner.Estimate;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.planner.ShuffleModel;
import dev.blobshuffle.planner.Tuning;
import dev.blobshuffle.planner.Workload;
import dev.blobshuffle.simulator.SimulatedTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One configuration, for the planner's model and for the engine that it models.
 *
 * @param profile times of requests; bandwidths are scaled as sizes are
 * @param seconds virtual time that is measured
 */
record ModelComparison(String name, Workload workload, Tuning tuning, LatencyProfile profile, double seconds) {
    /** By this factor, sizes and bandwidths are smaller than the real ones. */
    static final double SCALE = 64;

    private static final long SEED = 7;
    private static final Duration FAST_TICK = Duration.ofMillis(5);
    private static final Duration FLEET_TICK = Duration.ofMillis(10);

    /** Compares configurations, writes their table, and fails if one differs too much. */
    static void check(List<ModelComparison> configurations, Path file) throws IOException {
        StringBuilder table = new StringBuilder(
                "| configuration | PUT/s model / run | GET/s | p50 s | p95 s | largest difference |\n|---|---|---|---|---|---|\n");
        List<String> misses = new ArrayList<>();
        for (Row row :
                configurations.parallelStream().map(ModelComparison::compare).toList()) {
            table.append(row.text());
            if (row.isMiss()) {
                misses.add(row.name());
            }
        }
        Files.writeString(file, table);
        assertThat(misses).describedAs("%n%s", table).isEmpty();
    }

    /** What became of a configuration. */
    private record Row(String name, String text, boolean isMiss) {}

    private Row compare() {
        ModelledRun.Measured measured;
        try (SimulatedTime time = new SimulatedTime(SEED)) {
            ModelledRun run = new ModelledRun(workload, tuning, profile, seconds, time);
            if (tuning.combining() == Tuning.Combining.ZONE) {
                // Many threads would take long in small steps.
                run.withLoad(elapsed -> 1, workload.commitInterval().toMillis() < 1000 ? FAST_TICK : FLEET_TICK);
            }
            measured = run.run();
        }
        ShuffleModel model = new ShuffleModel(PriceTables.named("aws"), profile)
                .withChannel(ModelledRun.CHANNEL.toNanos() / 1e9, ModelledRun.ACKNOWLEDGED.toNanos() / 1e9);
        Estimate estimate = model.estimate(workload.withBytesPerSecond(measured.bytesPerSecond()), tuning, 10_000);
        double puts = difference(estimate.traffic().puts(), measured.puts());
        double gets = difference(estimate.traffic().gets(), measured.gets());
        double p50 = difference(estimate.latencies().p50(), measured.p50());
        double p95 = difference(estimate.latencies().p95(), measured.p95());
        String text = String.format(
                Locale.ROOT,
                "| %s | %.2f / %.2f | %.2f / %.2f | %.3f / %.3f | %.3f / %.3f | requests %.1f %%, latency %.1f %% |%n",
                name,
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
        return new Row(name, text, puts > 0.05 || gets > 0.05 || p50 > 0.15 || p95 > 0.15);
    }

    private static double difference(double predicted, double measured) {
        return predicted == measured ? 0 : Math.abs(predicted - measured) / Math.max(measured, 1e-9);
    }
}
