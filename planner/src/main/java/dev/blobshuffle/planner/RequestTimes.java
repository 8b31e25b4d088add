package dev.blobshuffle.planner;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** Random times of requests to a store, hedges included, in seconds. Owned by one thread. */
final class RequestTimes {
    private static final int HEDGE_SAMPLES = 400;
    private static final double SIZE_STEP = Math.log(1.1);

    private final LatencyProfile profile;
    private final double hedgedShare;
    private final LongSupplier random;
    private final Map<LatencyModel, Map<Integer, Double>> triggers = new HashMap<>();

    RequestTimes(LatencyProfile profile, double hedgedShare, LongSupplier random) {
        this.profile = profile;
        this.hedgedShare = hedgedShare;
        this.random = random;
    }

    double put(double bytes) {
        return profile.put().map(model -> hedged(model, bytes) / 1000).orElse(0.0);
    }

    double get(double bytes) {
        return profile.get().map(model -> hedged(model, bytes) / 1000).orElse(0.0);
    }

    private double hedged(LatencyModel model, double bytes) {
        double first = model.sampleMillis(bytes, random);
        if (hedgedShare == 0) {
            return first;
        }
        double trigger = trigger(model, bytes);
        return first <= trigger ? first : Math.min(first, trigger + model.sampleMillis(bytes, random));
    }

    /**
     * The latency above which requests are hedged, from their share. Sizes within a tenth share it,
     * as in the engine.
     */
    private double trigger(LatencyModel model, double bytes) {
        Map<Integer, Double> known = triggers.computeIfAbsent(model, unknown -> new HashMap<>());
        int bucket = (int) Math.round(Math.log(Math.max(1, bytes)) / SIZE_STEP);
        return known.computeIfAbsent(bucket, unknown -> {
            double[] samples = new double[HEDGE_SAMPLES];
            Arrays.setAll(samples, i -> model.sampleMillis(bytes, random));
            Arrays.sort(samples);
            return samples[(int) Math.min(HEDGE_SAMPLES - 1, HEDGE_SAMPLES * (1 - hedgedShare))];
        });
    }
}
