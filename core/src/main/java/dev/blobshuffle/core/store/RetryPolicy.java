package dev.blobshuffle.core.store;

import java.time.Duration;

/**
 * How long and how often to try.
 *
 * @param firstDelay upper bound of the pause after the first failure; doubles with each further one
 * @param maxDelay largest upper bound of a pause
 * @param attemptTimeout the longest that one attempt may take before it counts as failed
 * @param total the longest that an operation may take, all attempts and pauses together
 */
public record RetryPolicy(Duration firstDelay, Duration maxDelay, Duration attemptTimeout, Duration total) {
    /** Checks that all are positive and in order. */
    public RetryPolicy {
        boolean positive = firstDelay.toNanos() > 0 && attemptTimeout.toNanos() > 0 && total.toNanos() > 0;
        if (!positive || maxDelay.compareTo(firstDelay) < 0) {
            throw new IllegalArgumentException(
                    "Cannot form a retry policy: first delay " + firstDelay + ", largest delay " + maxDelay
                            + ", attempt timeout " + attemptTimeout + ", total " + total
                            + ". All must be positive, and the largest delay not below the first.");
        }
    }

    /** The usual pauses (50 ms, doubling up to 5 s, attempts of up to 15 s) within a total. */
    public static RetryPolicy within(Duration total) {
        return new RetryPolicy(Duration.ofMillis(50), Duration.ofSeconds(5), Duration.ofSeconds(15), total);
    }

    /** The pause after a number of failed attempts: uniform between zero and the bound ("full jitter"), so that clients spread out. */
    Duration pause(int attempts, long random) {
        long bound = firstDelay.toNanos();
        for (int i = 1; i < attempts && bound < maxDelay.toNanos(); i++) {
            bound *= 2;
        }
        return Duration.ofNanos(Long.remainderUnsigned(random, Math.min(bound, maxDelay.toNanos())));
    }
}
