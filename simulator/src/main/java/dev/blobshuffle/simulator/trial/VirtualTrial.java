package dev.blobshuffle.simulator.trial;

import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.core.internal.write.options.LatencyTarget;
import dev.blobshuffle.planner.Tuning;
import dev.blobshuffle.planner.Workload;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;

/**
 * The real engine in several instances under virtual time and a {@link SwingingLoad}, three zones,
 * twelve partitions, hedged as by default, without caches. The same seed gives the same run.
 *
 * @param instances a multiple of three
 * @param load how it swings
 * @param length virtual time that is measured, after a quarter of it for warm-up
 * @param seed of latencies and of everything else
 */
public record VirtualTrial(int instances, SwingingLoad load, Duration length, long seed) {
    private static final int ZONES = 3;
    private static final Duration TICK = Duration.ofMillis(10);
    private static final double SECONDS_PER_HOUR = 3600;

    /** Checks that each zone has as many instances. */
    public VirtualTrial {
        if (instances < ZONES || instances % ZONES != 0 || length.toSeconds() < Intervals.SECONDS) {
            throw new IllegalArgumentException("Cannot run " + instances + " instances for " + length.toSeconds()
                    + " s. Give a multiple of 3, and 10 s or more.");
        }
    }

    /**
     * Runs it.
     *
     * @param target the latency to meet; a fixed setting is given up when an interval is slower
     */
    public BatchedResult run(Batched batched, Duration target) {
        Intervals intervals = new Intervals(batched.adaptive() ? Double.MAX_VALUE : target.toMillis() / 1e3);
        ModelledRun.Measured measured;
        try (SimulatedTime time = new SimulatedTime(seed)) {
            ModelledRun run = new ModelledRun(
                            workload(), tuning(batched), SwingingLoad.STORE, length.toMillis() / 1e3, time)
                    .withLoad(load::share, TICK)
                    .withIntervals(intervals);
            if (batched.adaptive()) {
                run.withTarget(LatencyTarget.of(target));
            }
            measured = run.run();
        }
        return intervals.result(batched, length.toSeconds(), measured.puts(), measured.gets());
    }

    private Workload workload() {
        return Workload.builder()
                .bytesPerSecond(instances * SwingingLoad.mostBytesPerSecond())
                .recordBytes(SwingingLoad.RECORD_BYTES)
                .instances(instances)
                .zones(ZONES)
                .partitions(12)
                .commitInterval(Duration.ofSeconds(30))
                .build();
    }

    private static Tuning tuning(Batched batched) {
        return Tuning.builder()
                .blobBytes(SwingingLoad.scaled(batched.mebibytes()))
                .delay(batched.delay())
                .hedgedShare(0.05)
                .cache(Tuning.Cache.NONE)
                .build();
    }

    /** List price of requests by AWS in USD per hour. */
    static double usdPerHour(double puts, double gets) {
        PriceTable.Requests prices = PriceTables.named("aws").requests();
        return SECONDS_PER_HOUR * (puts * prices.put() + gets * prices.get());
    }
}
