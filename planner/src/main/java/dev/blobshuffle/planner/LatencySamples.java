package dev.blobshuffle.planner;

import java.util.Arrays;

/** Weighted latencies of records, in buckets of 1 %, with the means of their parts. */
final class LatencySamples {
    private static final double LEAST = 1e-4;
    private static final double STEP = Math.log(1.01);

    private final double[] weights = new double[2000];
    private double fillSum;
    private double storeSum;
    private double commitSum;
    private double readSum;
    private double weightSum;

    /** Adds a latency, by its parts in seconds. */
    void add(double fill, double store, double commit, double read, double weight) {
        double seconds = fill + store + commit + read;
        int bucket = seconds <= LEAST ? 0 : (int) (Math.log(seconds / LEAST) / STEP) + 1;
        weights[Math.min(bucket, weights.length - 1)] += weight;
        fillSum += fill * weight;
        storeSum += store * weight;
        commitSum += commit * weight;
        readSum += read * weight;
        weightSum += weight;
    }

    /** The percentiles, and the means of the parts. */
    Latencies summary() {
        double weight = Math.max(weightSum, Double.MIN_NORMAL);
        return new Latencies(
                quantile(0.5),
                quantile(0.95),
                quantile(0.99),
                fillSum / weight,
                storeSum / weight,
                commitSum / weight,
                readSum / weight);
    }

    private double quantile(double share) {
        double wanted = share * Arrays.stream(weights).sum();
        double seen = 0;
        for (int i = 0; i < weights.length; i++) {
            if (weights[i] > 0 && seen + weights[i] >= wanted) {
                double within = (wanted - seen) / weights[i];
                return LEAST * Math.exp(STEP * (i - 1 + within));
            }
            seen += weights[i];
        }
        return 0;
    }
}
