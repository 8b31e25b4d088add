package dev.blobshuffle.bench.demo;

import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.planner.Goal;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.planner.Plan;
import dev.blobshuffle.planner.Planner;
import dev.blobshuffle.planner.ShuffleModel;
import dev.blobshuffle.planner.Tuning;
import dev.blobshuffle.planner.Workload;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The planner's model of the demo's load and settings, in bytes per second and instance. Immutable.
 *
 * @param bytesPerSecond bytes that each instance shuffled natively, as stored in the logs of the
 *     brokers
 * @param breakEvenBytesPerSecond the load from which blobs cost less than the native shuffle; empty
 *     if there is none
 * @param priceRatio the price of requests and notifications divided by the native price; empty if
 *     the native price is 0, in a single zone
 */
record CostForecast(double bytesPerSecond, Optional<Double> breakEvenBytesPerSecond, Optional<Double> priceRatio) {
    private static final double NANOS = 1e9;

    /** The shuffles of {@link DemoTopology}, which share the blobs of an instance. */
    private static final int SHUFFLES = 3;

    /**
     * The forecast for the load of a run.
     *
     * @param nativeRun a run that sent all shuffled records through the brokers
     * @param combining the instances that share blobs; the planner leaves it out where it does not
     *     pay
     */
    static CostForecast of(
            DemoOptions options, VariantResult nativeRun, PriceTable prices, Tuning.Combining combining) {
        double seconds = Math.max(1, nativeRun.feeding().toNanos()) / NANOS;
        double bytesPerSecond = Math.max(1, nativeRun.shuffleBrokerBytes()) / seconds;
        // The model needs at least one instance in each zone.
        int instances = Math.max(options.instances(), options.zones());
        Workload workload = Workload.builder()
                .bytesPerSecond(bytesPerSecond)
                .recordBytes(Math.max(1.0, nativeRun.shuffleBrokerBytes() / Math.max(1.0, nativeRun.records())))
                .instances(instances)
                .zones(options.zones())
                .partitions(SHUFFLES * options.partitions())
                .guarantee(guarantee(options))
                .commitInterval(Duration.ofMillis(DemoSettings.COMMIT_INTERVAL_MS))
                .replicationFactor(options.replicationFactor())
                .build();
        // The demo counts requests and traffic, not storage.
        Tuning tuning = Tuning.builder()
                .retention(Duration.ZERO)
                .combining(combining)
                .delay(options.delay())
                .build();
        Plan plan = new Planner(new ShuffleModel(prices, LatencyProfile.ZERO))
                .plan(workload, tuning, new Goal.Fixed(tuning));
        double nativeUsd = plan.nativeVariants().get(0).usdPerHour();
        return new CostForecast(
                bytesPerSecond / options.instances(),
                plan.breakEvenBytesPerSecond().map(bytes -> bytes / options.instances()),
                nativeUsd == 0
                        ? Optional.empty()
                        : Optional.of(plan.recommended().cost().shuffle() / nativeUsd));
    }

    private static Workload.Guarantee guarantee(DemoOptions options) {
        return options.guarantee().equals(DemoCommand.Guarantee.exactly_once_v2.name())
                ? Workload.Guarantee.EXACTLY_ONCE_V2
                : Workload.Guarantee.AT_LEAST_ONCE;
    }

    /** The documented JSON form. */
    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("instance_bytes_per_second", bytesPerSecond);
        breakEvenBytesPerSecond.ifPresent(bytes -> json.put("instance_break_even_bytes_per_second", bytes));
        priceRatio.ifPresent(ratio -> json.put("price_ratio", ratio));
        return json;
    }
}
