package dev.blobshuffle.planner;

import dev.blobshuffle.core.pricing.PriceTable;
import java.util.List;
import java.util.Optional;

/**
 * The answer to what a shuffle would cost, how fast it would be, and which settings to use.
 *
 * @param workload the question
 * @param prices the prices
 * @param profile the store's latencies
 * @param nativeVariants what the native shuffle costs; the first is the one to compare with
 * @param recommended the tuning to use
 * @param meetsGoal whether it reaches the goal; otherwise it is the closest
 * @param frontier the tunings that no other beats in both cost and p95, fastest first
 * @param settings the settings to use
 * @param alternatives what other choices would give
 * @param findings what the reader must know, plain sentences
 * @param breakEvenBytesPerSecond the load from which such settings, with the longest delay for the goal, save money; empty if none does
 */
public record Plan(
        Workload workload,
        PriceTable prices,
        LatencyProfile profile,
        List<NativeVariant> nativeVariants,
        Estimate recommended,
        boolean meetsGoal,
        List<Estimate> frontier,
        List<RecommendedSetting> settings,
        List<Alternative> alternatives,
        List<String> findings,
        Optional<Double> breakEvenBytesPerSecond) {
    /** Less than a hundredth saved is nothing: prices and loads are not known that well. */
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
     * @param name for people and programs, lower case with underscores
     * @param usdPerHour traffic between zones
     */
    public record NativeVariant(String name, double usdPerHour) {}

    /**
     * A line of the configuration.
     *
     * @param name full name
     * @param value its value
     * @param reason why
     */
    public record RecommendedSetting(String name, String value, String reason) {}

    /**
     * What another choice would give.
     *
     * @param name the choice, for people
     * @param estimate what comes of it
     */
    public record Alternative(String name, Estimate estimate) {}

    /** Dollars per hour of the native shuffle to compare with. */
    public double nativeUsdPerHour() {
        return nativeVariants.get(0).usdPerHour();
    }

    /** Whether the shuffle costs less through blobs, store and notifications against traffic between zones. */
    public boolean paysOff() {
        return recommended.cost().shuffle() < WORTH_IT * nativeUsdPerHour();
    }
}
