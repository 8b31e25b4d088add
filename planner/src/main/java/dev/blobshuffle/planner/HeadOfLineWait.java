package dev.blobshuffle.planner;

import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * The wait of a section behind sections of other Batchers in its partition. A reader returns
 * records in the order of arrival, so a section waits for the gets of the sections notified before
 * it. These arrive at random (Poisson) at a rate r, and each get takes a time G. So the longest
 * remaining wait M has {@code P(M <= m) = exp(-r E[max(0, G - m)])}.
 *
 * @param rate arrivals per second that need a get
 * @param seconds times of gets, sorted
 * @param excess for each of these, the expected amount by which G exceeds it
 */
record HeadOfLineWait(double rate, double[] seconds, double[] excess) {
    /** No wait: there is no other Batcher, or gets take no time. */
    static final HeadOfLineWait NONE = new HeadOfLineWait(0, new double[0], new double[0]);

    private static final int SAMPLES = 400;

    static HeadOfLineWait of(
            Batching batching, Workload workload, Tuning tuning, LatencyProfile profile, LongSupplier random) {
        Seal seal = batching.seal(0, Math.min(batching.fullSeconds(), batching.windowSeconds()));
        double others = batching.batchers() - 1;
        if (others <= 0 || seal.isInlined() || profile.get().isEmpty()) {
            return NONE;
        }
        boolean isCached = tuning.cache() == Tuning.Cache.ZONE;
        double perSecond = batching.seals().stream()
                .mapToDouble(each -> each.perSecond() * batching.partitions(each) / workload.partitions())
                .sum();
        double rate = others * perSecond * (isCached ? Traffic.awayShare(workload) : 1);
        double section = seal.bytes() / seal.sections();
        double bytes = isCached ? section : section / LatencyForecast.readersPerSection(workload);
        return of(rate, bytes, profile.get().get(), random);
    }

    /**
     * The wait behind gets of one size.
     *
     * @param rate arrivals per second that need a get
     */
    static HeadOfLineWait of(double rate, double bytes, LatencyModel model, LongSupplier random) {
        double[] seconds = new double[SAMPLES];
        Arrays.setAll(seconds, i -> model.sampleMillis(bytes, random) / 1000);
        Arrays.sort(seconds);
        double[] excess = new double[SAMPLES];
        for (int i = SAMPLES - 2; i >= 0; i--) {
            double above = (double) (SAMPLES - 1 - i) / SAMPLES;
            excess[i] = excess[i + 1] + above * (seconds[i + 1] - seconds[i]);
        }
        return new HeadOfLineWait(rate, seconds, excess);
    }

    /** A random wait of a section for those before it; 0 if it does not wait. */
    double wait(LongSupplier random) {
        if (rate == 0) {
            return 0;
        }
        double wanted = -Math.log(1 - LatencyModel.uniform(random)) / rate;
        if (wanted >= excess[0]) {
            // Below the shortest get, all gets count fully: E[G - m] = excess + shortest - m.
            return Math.max(0, excess[0] + seconds[0] - wanted);
        }
        int low = 0;
        int high = excess.length - 1;
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (excess[middle] > wanted) {
                low = middle;
            } else {
                high = middle;
            }
        }
        double step = excess[low] - excess[high];
        return step <= 0
                ? seconds[high]
                : seconds[low] + (excess[low] - wanted) / step * (seconds[high] - seconds[low]);
    }
}
