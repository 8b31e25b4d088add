package dev.blobshuffle.planner;

import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The result of planning: the cost of a shuffle, its latency, and the settings to use.
 *
 * @param workload the planned workload
 * @param prices the prices
 * @param kafka the prices of Kafka
 * @param profile the store's latencies
 * @param nativeVariants costs of the native shuffle; the first is the one to compare with
 * @param recommended the tuning to use
 * @param meetsGoal whether it reaches the goal; otherwise it is the closest tuning
 * @param frontier the tunings that no other beats in both cost and p95, fastest first
 * @param settings the settings to use
 * @param alternatives the results of other choices
 * @param findings statements for the reader, plain sentences
 * @param breakEvenBytesPerSecond the load from which such settings, with the longest delay for the
 *     goal, save money; empty if none does
 */
public record Plan(
        Workload workload,
        PriceTable prices,
        KafkaPrices kafka,
        LatencyProfile profile,
        List<NativeVariant> nativeVariants,
        Estimate recommended,
        boolean meetsGoal,
        List<Estimate> frontier,
        List<RecommendedSetting> settings,
        List<Alternative> alternatives,
        List<String> findings,
        Optional<Double> breakEvenBytesPerSecond) {
    /** A saving below 1 % does not count, because prices and loads are not known that precisely. */
    static final double WORTH_IT = 0.99;

    /** Copies the lists. */
    public Plan {
        nativeVariants = List.copyOf(nativeVariants);
        frontier = List.copyOf(frontier);
        settings = List.copyOf(settings);
        alternatives = List.copyOf(alternatives);
        findings = List.copyOf(findings);
    }

    /**
     * A way to run the native shuffle.
     *
     * @param name the name for readers and programs, lower case with underscores @param usdPerHour
     *     price of its bytes: traffic between zones, and the Kafka service's own charges
     */
    public record NativeVariant(String name, double usdPerHour) {}

    /**
     * A line of the configuration.
     *
     * @param name full name
     * @param value its value
     * @param reason the reason for the value
     * @param artifact the artifact that the application needs for it, besides its front door and
     *     the store, as {@code group:artifact}; empty for most settings
     */
    public record RecommendedSetting(String name, String value, String reason, Optional<String> artifact) {
        /** A setting that needs no artifact. */
        RecommendedSetting(String name, String value, String reason) {
            this(name, value, reason, Optional.empty());
        }
    }

    /**
     * The result of another choice.
     *
     * @param name the choice, in words
     * @param estimate the result
     */
    public record Alternative(String name, Estimate estimate) {}

    /** The artifact of the store, as {@code group:artifact}; empty for directories. */
    public Optional<String> storeArtifact() {
        return BlobStores.artifact(prices.scheme());
    }

    /**
     * The artifacts that the application needs for the store and all settings, besides its front
     * door.
     */
    public List<String> artifacts() {
        return Stream.concat(
                        storeArtifact().stream(), settings.stream().flatMap(setting -> setting.artifact().stream()))
                .distinct()
                .toList();
    }

    /** Dollars per hour of the native shuffle to compare with. */
    public double nativeUsdPerHour() {
        return nativeVariants.get(0).usdPerHour();
    }

    /** The price of the default floor of retention. */
    public FloorPrice floor() {
        return FloorPrice.usual(recommended.traffic(), prices);
    }

    /** Dollars per hour of the changelogs, which stay in Kafka either way. */
    public double changelogUsdPerHour() {
        return kafka.usdPerHour(workload.changelogBytesPerSecond(), prices, workload, KafkaPrices.Readers.NONE);
    }

    /** Whether store and notifications cost less than the native topic. */
    public boolean paysOff() {
        return recommended.cost().shuffle() < WORTH_IT * nativeUsdPerHour();
    }
}
