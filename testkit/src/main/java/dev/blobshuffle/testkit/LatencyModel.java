package dev.blobshuffle.testkit;

import dev.blobshuffle.core.time.Time;
import java.time.Duration;

/**
 * How long one kind of request to a store takes: {@code tail(base * LN(baseSpread) + size / (bandwidth * LN(bandwidthSpread)))}, where {@code LN(s)} is
 * log-normal, {@code exp(s * N(0, 1))}, and the tail multiplies some requests by {@code tailFactor * LN(0.3)}.
 *
 * @param baseMillis median time to the first byte, milliseconds
 * @param baseSpread its spread
 * @param bandwidth median bandwidth of one request, MiB per second
 * @param bandwidthSpread its spread
 * @param tailShare share of requests that are much slower, 0 to 1
 * @param tailFactor median of how much slower they are
 */
public record LatencyModel(
        double baseMillis,
        double baseSpread,
        double bandwidth,
        double bandwidthSpread,
        double tailShare,
        double tailFactor) {
    private static final double TAIL_SPREAD = 0.3;
    private static final double MEBIBYTE = 1 << 20;

    /** A time for one request, by chance. */
    public Duration sample(long bytes, Time time) {
        double millis = baseMillis * logNormal(baseSpread, time)
                + bytes / MEBIBYTE / (bandwidth * logNormal(bandwidthSpread, time)) * 1000;
        if (uniform(time) < tailShare) {
            millis *= tailFactor * logNormal(TAIL_SPREAD, time);
        }
        return Duration.ofNanos((long) (millis * 1e6));
    }

    private static double logNormal(double spread, Time time) {
        // Box and Muller's transform of two uniform numbers into a normal one.
        double radius = Math.sqrt(-2 * Math.log(1 - uniform(time)));
        return Math.exp(spread * radius * Math.cos(2 * Math.PI * uniform(time)));
    }

    /** From 0 to below 1. */
    private static double uniform(Time time) {
        return (time.randomLong() >>> 11) * 0x1.0p-53;
    }
}
