package dev.blobshuffle.log.internal.share;

import java.time.Duration;

/**
 * The recent byte rate: a mean whose weights fall by a factor of e every 5 seconds. Not
 * thread-safe.
 */
final class FlowRate {
    private static final double WINDOW_NANOS = Duration.ofSeconds(5).toNanos();
    private static final double NANOS_PER_SECOND = 1e9;

    private double bytesPerSecond;
    private long lastNanos;

    FlowRate(long nowNanos) {
        lastNanos = nowNanos;
    }

    void add(long bytes, long nowNanos) {
        bytesPerSecond = at(nowNanos) + bytes * NANOS_PER_SECOND / WINDOW_NANOS;
        lastNanos = nowNanos;
    }

    /** Bytes per second now. */
    double at(long nowNanos) {
        return bytesPerSecond * Math.exp(-Math.max(0, nowNanos - lastNanos) / WINDOW_NANOS);
    }
}
