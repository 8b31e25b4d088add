package dev.blobshuffle.planner;

import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * The time of one kind of request to a store: {@code tail(base * LN(baseSpread) + size /
 * (bandwidth * LN(bandwidthSpread)))}, where {@code LN(s)} is log-normal, {@code exp(s * N(0, 1))},
 * and the tail multiplies some requests by {@code tailFactor * LN(0.3)}.
 *
 * @param baseMillis median time to the first byte, milliseconds
 * @param baseSpread its spread
 * @param bandwidth median bandwidth of one request, MiB per second
 * @param bandwidthSpread its spread
 * @param tailShare share of requests that are much slower, 0 to 1
 * @param tailFactor median factor by which they are slower
 */
public record LatencyModel(
        double baseMillis,
        double baseSpread,
        double bandwidth,
        double bandwidthSpread,
        double tailShare,
        double tailFactor) {
    private static final double TAIL_SPREAD = 0.3;
    private static final int QUANTILE_SAMPLES = 2000;
    private static final double MEBIBYTE = 1 << 20;

    /**
     * A random time for one request.
     *
     * @param random source of random bits, uniform over all longs
     */
    public Duration sample(long bytes, LongSupplier random) {
        return Duration.ofNanos((long) (sampleMillis(bytes, random) * 1e6));
    }

    /** As {@link #sample}, in milliseconds. */
    double sampleMillis(double bytes, LongSupplier random) {
        double millis = baseMillis * logNormal(baseSpread, random)
                + bytes / MEBIBYTE / (bandwidth * logNormal(bandwidthSpread, random)) * 1000;
        if (tailShare > 0 && uniform(random) < tailShare) {
            millis *= tailFactor * logNormal(TAIL_SPREAD, random);
        }
        return millis;
    }

    /**
     * The time that a share of requests does not exceed, in milliseconds. Estimated from random
     * samples, accurate to a few percent.
     *
     * @param share above 0, below 1
     */
    public double quantileMillis(double bytes, double share) {
        LongSupplier random = new SplittableRandom(QUANTILE_SAMPLES)::nextLong;
        double[] samples = new double[QUANTILE_SAMPLES];
        Arrays.setAll(samples, i -> sampleMillis(bytes, random));
        Arrays.sort(samples);
        return samples[(int) (share * QUANTILE_SAMPLES)];
    }

    /**
     * The same latency for blobs and records that are smaller by a factor, for experiments at a
     * smaller scale.
     */
    public LatencyModel scaledDown(double factor) {
        return new LatencyModel(baseMillis, baseSpread, bandwidth / factor, bandwidthSpread, tailShare, tailFactor);
    }

    /** The same latency with all times longer by a factor and the same spread. */
    LatencyModel slowedDown(double factor) {
        return new LatencyModel(
                baseMillis * factor, baseSpread, bandwidth / factor, bandwidthSpread, tailShare, tailFactor);
    }

    private static double logNormal(double spread, LongSupplier random) {
        if (spread == 0) {
            return 1;
        }
        // Box and Muller's transform of two uniform numbers into a normal one.
        double radius = Math.sqrt(-2 * Math.log(1 - uniform(random)));
        return Math.exp(spread * radius * Math.cos(2 * Math.PI * uniform(random)));
    }

    /** From 0 to below 1. */
    static double uniform(LongSupplier random) {
        return (random.getAsLong() >>> 11) * 0x1.0p-53;
    }
}
