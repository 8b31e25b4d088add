package dev.blobshuffle.planner;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Makes plans: tries tunings, chooses one for a goal, and explains it. Stateless, except for its
 * model.
 */
public final class Planner {
    private static final int SEALS = 6000;
    private static final int BISECTIONS = 40;
    private static final double WIDEST = 1e6;

    /** The approximate blob size from which blobs pay off. */
    private static final double SMALL_BLOB = 256 << 10;

    /**
     * The choice uses only this share of the target latency, because latencies are random samples.
     */
    private static final double SPARE = 0.97;

    private final ShuffleModel model;

    /** A planner over a model. */
    public Planner(ShuffleModel model) {
        this.model = model;
    }

    /**
     * A plan.
     *
     * @param base the given part of the tuning; size and delay are chosen, unless the goal fixes
     *     them. Batches below its inline size go through Kafka. If it has combining, the plan has
     *     it where it pays
     */
    public Plan plan(Workload workload, Tuning base, Goal goal) {
        CombiningChoice combining = CombiningChoice.of(this, workload, base, goal);
        Estimate recommended = combining.chosen().recommended();
        List<Estimate> frontier = combining.chosen().frontier();
        List<Plan.NativeVariant> variants = nativeVariants(workload);
        Tuning asked = combining.asked().tuning();
        BreakEven breakEven = new BreakEven(
                asked.combining() == Tuning.Combining.ZONE ? "combining" : "such settings",
                breakEven(workload, patient(asked, goal)));
        return new Plan(
                workload,
                model.prices(),
                model.kafka(),
                model.profile(),
                variants,
                recommended,
                combining.chosen().meetsGoal(),
                frontier,
                SettingsAdvice.of(workload, recommended),
                alternatives(workload, recommended, goal, combining),
                Stream.concat(
                                new Findings(
                                                workload,
                                                model,
                                                recommended,
                                                variants.get(0).usdPerHour(),
                                                breakEven)
                                        .list().stream(),
                                combining.finding().stream())
                        .toList(),
                breakEven.bytesPerSecond());
    }

    /**
     * The load from which blobs pay off.
     *
     * @param with the settings for it, in words
     * @param bytesPerSecond empty: no load
     */
    record BreakEven(String with, Optional<Double> bytesPerSecond) {}

    /**
     * The best settings for a goal.
     *
     * @param frontier the settings that no other beats in both cost and p95
     * @param recommended the best of them
     * @param meetsGoal whether they reach the goal
     */
    record Best(List<Estimate> frontier, Estimate recommended, boolean meetsGoal) {}

    Best best(Workload workload, Tuning base, Goal goal) {
        List<Estimate> frontier = Frontier.of(model, workload, base);
        Estimate chosen = choose(frontier, workload, goal);
        Estimate recommended = model.estimate(workload, chosen.tuning(), SEALS);
        return new Best(frontier, recommended, meets(recommended, goal, 1));
    }

    ShuffleModel model() {
        return model;
    }

    private Estimate choose(List<Estimate> frontier, Workload workload, Goal goal) {
        if (goal instanceof Goal.Fixed fixed) {
            return model.estimate(workload, fixed.tuning(), SEALS);
        }
        Estimate fastest = frontier.get(0);
        Estimate cheapest = frontier.get(frontier.size() - 1);
        if (goal instanceof Goal.MaxCost) {
            return frontier.stream()
                    .filter(estimate -> meets(estimate, goal, SPARE))
                    .findFirst()
                    .orElse(cheapest);
        }
        return frontier.stream()
                .filter(estimate -> meets(estimate, goal, SPARE))
                .min(Comparator.comparingDouble(estimate -> estimate.cost().total()))
                .orElse(fastest);
    }

    private static boolean meets(Estimate estimate, Goal goal, double spare) {
        if (goal instanceof Goal.TargetP95 target) {
            return estimate.latencies().p95() <= spare * target.seconds();
        }
        if (goal instanceof Goal.MaxCost most) {
            return estimate.cost().total() <= most.usdPerHour();
        }
        return true;
    }

    private List<Plan.NativeVariant> nativeVariants(Workload workload) {
        int replicas = workload.replicationFactor();
        List<Plan.NativeVariant> variants = new ArrayList<>();
        addVariants(variants, workload);
        if (model.kafka().crossings().replicas() > 0) {
            addVariants(
                    variants,
                    workload.toBuilder()
                            .replicationFactor(replicas == 1 ? 3 : 1)
                            .build());
        }
        return variants;
    }

    private void addVariants(List<Plan.NativeVariant> variants, Workload workload) {
        variants.add(variant(workload, KafkaPrices.Readers.RACK_AWARE));
        if (model.kafka().crossings().clients() > 0) {
            variants.add(variant(workload, KafkaPrices.Readers.FROM_LEADERS));
        }
    }

    private Plan.NativeVariant variant(Workload workload, KafkaPrices.Readers readers) {
        return new Plan.NativeVariant(
                "replication_" + workload.replicationFactor()
                        + (readers == KafkaPrices.Readers.RACK_AWARE ? "_rack_aware" : "_not_rack_aware"),
                model.inKafka(workload.bytesPerSecond(), workload, readers));
    }

    private List<Plan.Alternative> alternatives(
            Workload workload, Estimate recommended, Goal goal, CombiningChoice combining) {
        Tuning tuning = recommended.tuning();
        List<Plan.Alternative> alternatives =
                new ArrayList<>(combining.alternative().stream().toList());
        add(alternatives, "the default settings", workload, defaults(tuning));
        if (tuning.layout() == Tuning.Layout.PACKED) {
            Tuning perZone = tuning.toBuilder()
                    .layout(Tuning.Layout.PER_ZONE)
                    .combining(Tuning.Combining.NONE)
                    .inlineBytes(0)
                    .build();
            add(alternatives, "the paper's layout: a blob per zone, no inlining", workload, perZone);
        }
        boolean isCached = tuning.cache() == Tuning.Cache.ZONE;
        add(
                alternatives,
                isCached ? "without a cache per zone" : "with a cache per zone",
                workload,
                tuning.toBuilder()
                        .cache(isCached ? Tuning.Cache.NONE : Tuning.Cache.ZONE)
                        .combining(Tuning.Combining.NONE)
                        .build());
        if (workload.commitInterval().toMillis() < 1000) {
            Workload patient =
                    workload.toBuilder().commitInterval(Duration.ofSeconds(1)).build();
            Estimate best = choose(Frontier.of(model, patient, tuning), patient, goal);
            alternatives.add(new Plan.Alternative("commit.interval.ms=1000, with the settings that suit it", best));
        }
        LatencyProfile other = model.profile().equals(LatencyProfile.S3_STANDARD)
                ? LatencyProfile.S3_BLOBSHUFFLE_PAPER
                : LatencyProfile.S3_STANDARD;
        alternatives.add(new Plan.Alternative(
                "a store with the latencies of profile " + other.name(),
                model.withProfile(other).estimate(workload, tuning, SEALS)));
        return alternatives;
    }

    private static Tuning defaults(Tuning tuning) {
        Tuning standard = Tuning.builder().build();
        return tuning.toBuilder()
                .blobBytes(standard.blobBytes())
                .delay(standard.delay())
                .layout(standard.layout())
                .scope(standard.scope())
                .build();
    }

    private void add(List<Plan.Alternative> alternatives, String name, Workload workload, Tuning tuning) {
        alternatives.add(new Plan.Alternative(name, model.estimate(workload, tuning, SEALS)));
    }

    /**
     * The same tuning with the longest delay that the goal allows, because inlined batches do not
     * use the delay.
     */
    private Tuning patient(Tuning tuning, Goal goal) {
        if (goal instanceof Goal.TargetP95 target) {
            double store = quantileSeconds(model.profile().put())
                    + quantileSeconds(model.profile().get());
            long millis = (long) (1000 * (target.seconds() - store));
            if (millis > tuning.delay().toMillis()) {
                return tuning.toBuilder().delay(Duration.ofMillis(millis)).build();
            }
        }
        return tuning;
    }

    private static double quantileSeconds(Optional<LatencyModel> requests) {
        return requests.map(model -> model.quantileMillis(SMALL_BLOB, 0.95) / 1000)
                .orElse(0.0);
    }

    /**
     * The load from which blobs cost less than the native shuffle, with one tuning. Found by
     * bisection, because the cost grows more slowly than the native one.
     */
    private Optional<Double> breakEven(Workload workload, Tuning tuning) {
        double low = workload.bytesPerSecond() / WIDEST;
        double high = Math.min(1e14, workload.bytesPerSecond() * WIDEST);
        if (!saves(workload, tuning, high)) {
            return Optional.empty();
        }
        if (saves(workload, tuning, low)) {
            return Optional.of(0.0);
        }
        for (int i = 0; i < BISECTIONS && high / low > 1.01; i++) {
            double middle = Math.sqrt(low * high);
            if (saves(workload, tuning, middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return Optional.of(high);
    }

    private boolean saves(Workload workload, Tuning tuning, double bytesPerSecond) {
        Workload scaled = workload.withBytesPerSecond(bytesPerSecond);
        double inKafka = model.inKafka(bytesPerSecond, workload, KafkaPrices.Readers.RACK_AWARE);
        return model.cost(scaled, tuning).shuffle() < inKafka * 0.9999;
    }
}
