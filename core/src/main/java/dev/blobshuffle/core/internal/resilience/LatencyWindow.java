package dev.blobshuffle.core.internal.resilience;

import java.util.Arrays;
import java.util.OptionalLong;

/**
 * The last 512 latencies of one kind and size of requests, and their statistics, recomputed with
 * every sixteenth sample. With fewer than 100 samples there are no statistics. Thread-safe: guarded
 * by its monitor, which is taken once per request, not per record.
 */
final class LatencyWindow {
    private static final int LENGTH = 512;
    private static final int RECENT = 64;
    private static final int LEAST = 100;
    private static final int EVERY = 16;
    private static final double BASELINE_WEIGHT = 1.0 / 64;
    private static final double SLOW_FACTOR = 2;

    private long[] nanos = new long[0];
    private long count;
    private long p95;
    private long p99;
    private long recentMedian;

    /**
     * The usual median. It follows the recent median slowly: a store that stays slower counts as
     * usual after some hundred requests.
     */
    private double baseline;

    synchronized void record(long latency) {
        if (nanos.length == 0) {
            nanos = new long[LENGTH];
        }
        nanos[(int) (count % LENGTH)] = latency;
        count++;
        if (count >= LEAST && (count == LEAST || count % EVERY == 0)) {
            compute();
        }
    }

    private void compute() {
        int length = (int) Math.min(count, LENGTH);
        long[] sorted = Arrays.copyOf(nanos, length);
        Arrays.sort(sorted);
        p95 = percentile(sorted, 0.95);
        p99 = percentile(sorted, 0.99);
        long[] recent = new long[RECENT];
        for (int i = 0; i < RECENT; i++) {
            recent[i] = nanos[(int) ((count - 1 - i) % LENGTH)];
        }
        Arrays.sort(recent);
        recentMedian = percentile(recent, 0.5);
        baseline = baseline == 0 ? percentile(sorted, 0.5) : baseline + BASELINE_WEIGHT * (recentMedian - baseline);
    }

    private static long percentile(long[] sorted, double share) {
        return sorted[Math.max(0, (int) Math.ceil(sorted.length * share) - 1)];
    }

    synchronized OptionalLong p95() {
        return count < LEAST ? OptionalLong.empty() : OptionalLong.of(p95);
    }

    synchronized OptionalLong p99() {
        return count < LEAST ? OptionalLong.empty() : OptionalLong.of(p99);
    }

    synchronized boolean isSlow() {
        return count >= LEAST && recentMedian > SLOW_FACTOR * baseline;
    }
}
