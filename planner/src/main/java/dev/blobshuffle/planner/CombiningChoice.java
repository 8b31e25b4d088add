package dev.blobshuffle.planner;

import dev.blobshuffle.core.internal.combine.CombineOptions;
import dev.blobshuffle.core.internal.combine.CombineSettings;
import dev.blobshuffle.core.internal.combine.CombiningRule;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import java.util.Locale;
import java.util.Optional;

/**
 * The choice between blobs of each instance and combined ones. Combining is chosen if the base
 * tuning asks for it and it pays.
 *
 * @param alone the best settings without combining
 * @param combined the best settings with it; empty if instances cannot combine
 * @param isAskedFor whether the base tuning has combining
 */
record CombiningChoice(Planner.Best alone, Optional<Planner.Best> combined, boolean isAskedFor) {
    /** A hub is one more thing to run, so a smaller saving does not count. */
    private static final double WORTH_IT = 0.95;

    /** The rule of instances that decide themselves, with the default settings. */
    static final CombiningRule RULE = CombiningRule.of(CombineOptions.of(
            CombineSettings.MAX_PART.defaultValue().bytes(),
            WriteSettings.BATCH_MAX_BYTES.defaultValue().bytes(),
            CombineSettings.BUFFER_BYTES.defaultValue().bytes()));

    static CombiningChoice of(Planner planner, Workload workload, Tuning base, Goal goal) {
        boolean isAskedFor = base.combining() == Tuning.Combining.ZONE;
        Planner.Best alone = planner.best(
                workload,
                with(base, Tuning.Combining.NONE, base.inlineBytes()),
                fixed(goal, Tuning.Combining.NONE, base.inlineBytes()));
        boolean canCombine = base.cache() == Tuning.Cache.ZONE && workload.instances() >= 2 * workload.zones();
        boolean isSmall = alone.recommended().blobBytes() < RULE.offFrom();
        double inline = Math.min(base.inlineBytes(), inlineBytes(planner.model(), workload));
        return new CombiningChoice(
                alone,
                canCombine && (isAskedFor || isSmall)
                        ? Optional.of(planner.best(
                                workload,
                                with(base, Tuning.Combining.ZONE, inline),
                                fixed(goal, Tuning.Combining.ZONE, inline)))
                        : Optional.empty(),
                isAskedFor);
    }

    /**
     * The size below which a part goes through Kafka: its share of the size at which a whole blob
     * breaks even.
     */
    private static double inlineBytes(ShuffleModel model, Workload workload) {
        double perZone = Math.max(1, (double) workload.instances() / workload.zones());
        return model.kafka()
                .breakEvenBytes(model.prices(), workload)
                .map(bytes -> CombiningRule.inlineBytes(bytes, perZone))
                .orElse(0.0);
    }

    private static Tuning with(Tuning tuning, Tuning.Combining combining, double inlineBytes) {
        return tuning.toBuilder().combining(combining).inlineBytes(inlineBytes).build();
    }

    private static Goal fixed(Goal goal, Tuning.Combining combining, double inlineBytes) {
        return goal instanceof Goal.Fixed fixed ? new Goal.Fixed(with(fixed.tuning(), combining, inlineBytes)) : goal;
    }

    /** Whether combining reaches the goal as well, and costs clearly less. */
    boolean pays() {
        return combined.filter(best -> best.meetsGoal() || !alone.meetsGoal())
                .filter(best -> usd(best) < WORTH_IT * usd(alone))
                .isPresent();
    }

    private static double usd(Planner.Best best) {
        return best.recommended().cost().total();
    }

    /** The settings to use. */
    Planner.Best chosen() {
        return isAskedFor && pays() ? combined.orElseThrow() : alone;
    }

    /** The settings that were asked for, whether they are chosen or not. */
    Estimate asked() {
        return isAskedFor ? combined.orElse(alone).recommended() : alone.recommended();
    }

    /** The other choice, if it is of interest. */
    Optional<Plan.Alternative> alternative() {
        if (!pays()) {
            return Optional.empty();
        }
        return Optional.of(
                isAskedFor
                        ? new Plan.Alternative("without combining, with the settings that suit it", alone.recommended())
                        : new Plan.Alternative(
                                "with combining (--combine), with the settings that suit it",
                                combined.orElseThrow().recommended()));
    }

    /** The saving by combining, or why it is not chosen although asked for. */
    Optional<String> finding() {
        if (combined.isEmpty()) {
            return isAskedFor
                    ? Optional.of("Combining needs several instances in each zone. The settings leave it out.")
                    : Optional.empty();
        }
        Planner.Best best = combined.get();
        if (pays()) {
            String saving = text(
                    "%.2f USD per hour: %.2f instead of %.2f with compute, at a p95 of %.2f s",
                    usd(alone) - usd(best),
                    usd(best),
                    usd(alone),
                    best.recommended().latencies().p95());
            return Optional.of(
                    isAskedFor
                            ? "Combining saves " + saving + "."
                            : "Combining the blobs of a zone's instances would save " + saving + ": see --combine.");
        }
        return isAskedFor
                ? Optional.of(text(
                        "Combining does not pay here: %.2f instead of %.2f USD per hour with compute, at a p95 of"
                                + " %.2f s. The settings leave it out.",
                        usd(best), usd(alone), best.recommended().latencies().p95()))
                : Optional.empty();
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
