package dev.blobshuffle.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.batch.Target;
import dev.blobshuffle.core.plan.LatencyProfile;
import dev.blobshuffle.core.plan.PriceTable;
import dev.blobshuffle.core.plan.PriceTables;
import dev.blobshuffle.core.plan.Tuning;
import dev.blobshuffle.core.plan.Workload;
import dev.blobshuffle.testkit.SimulatedTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The adaptive mode against fixed settings: the real engine under virtual time and the profile {@code s3-blobshuffle-paper}, with a load that swings ten to one within
 * 5 s. The p95 of each interval of 10 s has to meet the target. Sizes are a 256th of the real ones, and so are the profile's bandwidths. The table goes to
 * {@code target/adaptive.md}; length, number of instances and seed are system properties: {@code docs/planner.md}.
 */
class AdaptiveBatchingTest {
    private static final double SECONDS = Integer.getInteger("adaptive.seconds", 80);
    private static final int INSTANCES = Integer.getInteger("adaptive.instances", 6);
    private static final long SEED = Long.getLong("adaptive.seed", 7);
    private static final Duration TARGET = Duration.ofMillis(Integer.getInteger("adaptive.target", 1600));

    /** Delays of the fixed settings in milliseconds. */
    private static final List<Integer> DELAYS = list(System.getProperty("adaptive.delays", "450,550"));

    /** Sizes of the fixed settings in MiB. */
    private static final List<Integer> SIZES = list(System.getProperty("adaptive.sizes", "16"));

    private static final double SCALE = 256;
    private static final double MIB = 1 << 20;
    private static final double PERIOD = 60;
    private static final double SWING = 5;
    private static final double LOW = 0.1;
    private static final Duration TICK = Duration.ofMillis(10);

    private static final Workload LOAD = Workload.builder()
            .bytesPerSecond(INSTANCES * 44 * MIB / SCALE)
            .recordBytes(256)
            .instances(INSTANCES)
            .zones(3)
            .partitions(12)
            .commitInterval(Duration.ofSeconds(30))
            .build();

    private static final Tuning TUNING = Tuning.builder()
            .blobBytes(16 * MIB / SCALE)
            .delay(TARGET)
            .hedgedShare(0.05)
            .cache(Tuning.Cache.NONE)
            .build();

    /** What a run cost, and how slow its intervals were. */
    private record Result(String name, double usdPerHour, double p95, double[] intervals, double puts, double gets) {
        double worst() {
            return Arrays.stream(intervals).max().orElse(0);
        }

        boolean meetsTarget() {
            return worst() <= TARGET.toMillis() / 1e3 && intervals.length >= Math.floor(SECONDS / Intervals.SECONDS);
        }

        String row() {
            if (usdPerHour <= 0) { // Given up before its requests were counted.
                return String.format(Locale.ROOT, "| %s | | | | | %.2f | no |%n", name, worst());
            }
            return String.format(
                    Locale.ROOT,
                    "| %s | %.3f | %.2f | %.2f | %.2f | %.2f | %s |%n",
                    name,
                    usdPerHour,
                    puts,
                    gets,
                    p95,
                    worst(),
                    meetsTarget() ? "all " + intervals.length : "no");
        }
    }

    private static List<Integer> list(String numbers) {
        return Arrays.stream(numbers.split(",")).map(Integer::valueOf).toList();
    }

    /** Half a period high, half low, and 5 s from one to the other. */
    private static double load(double seconds) {
        double at = seconds % PERIOD;
        double half = PERIOD / 2;
        double high = at < half ? Math.min(1, at / SWING) : Math.max(0, 1 - (at - half) / SWING);
        return LOW + (1 - LOW) * high;
    }

    private static Result run(String name, Tuning tuning, Optional<Target> target) {
        // Only a fixed setting that fails is given up: nothing but its failing is of interest.
        Intervals intervals = new Intervals(target.isPresent() ? Double.MAX_VALUE : TARGET.toMillis() / 1e3);
        ModelledRun.Measured measured;
        try (SimulatedTime time = new SimulatedTime(SEED)) {
            ModelledRun run = new ModelledRun(
                            LOAD, tuning, LatencyProfile.S3_BLOBSHUFFLE_PAPER.scaledDown(SCALE), SECONDS, time)
                    .withLoad(AdaptiveBatchingTest::load, TICK)
                    .withIntervals(intervals);
            target.ifPresent(run::withTarget);
            measured = run.run();
        }
        PriceTable.Requests prices = PriceTables.named("aws").requests();
        double usd = 3600 * (measured.puts() * prices.put() + measured.gets() * prices.get());
        return new Result(name, usd, measured.p95(), intervals.p95(), measured.puts(), measured.gets());
    }

    @Test
    void itMeetsTheTargetForLittleMoreThanTheBestFixedSetting() throws IOException {
        Result adaptive = run("adaptive", TUNING, Optional.of(Target.of(TARGET)));
        List<Result> fixed = new ArrayList<>();
        for (int size : SIZES) {
            for (int delay : DELAYS) {
                Tuning tuning = TUNING.toBuilder()
                        .blobBytes(size * MIB / SCALE)
                        .delay(Duration.ofMillis(delay))
                        .build();
                fixed.add(run(size + " MiB, " + delay + " ms", tuning, Optional.empty()));
            }
        }
        StringBuilder table = new StringBuilder(
                "| setting | requests, USD/h | PUT/s | GET/s | p95 s | worst p95 of 10 s | intervals within the target |\n|---|---|---|---|---|---|---|\n");
        table.append(adaptive.row());
        fixed.forEach(each -> table.append(each.row()));
        Files.writeString(Path.of("target", "adaptive.md"), table);

        assertThat(adaptive.meetsTarget()).describedAs("%n%s", table).isTrue();
        Result best = fixed.stream()
                .filter(Result::meetsTarget)
                .min(Comparator.comparingDouble(Result::usdPerHour))
                .orElseThrow(() -> new AssertionError("No fixed setting meets the target:\n" + table));
        assertThat(adaptive.usdPerHour()).describedAs("%n%s", table).isLessThanOrEqualTo(1.25 * best.usdPerHour());
    }
}
