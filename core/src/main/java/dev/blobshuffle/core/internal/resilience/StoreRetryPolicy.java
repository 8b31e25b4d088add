package dev.blobshuffle.core.internal.resilience;

import java.time.Duration;

/**
 * The pauses and the deadline of retries.
 *
 * @param firstDelay upper bound of the pause after the first failure; doubles with each further one
 * @param maxDelay the largest upper bound of a pause
 * @param total the longest that an operation may take, all attempts and pauses together
 * @param whenDown what to do while the store is known to be down
 */
public record StoreRetryPolicy(Duration firstDelay, Duration maxDelay, Duration total, WhenDown whenDown) {
    /** Longer than any process runs. */
    private static final Duration FOREVER = Duration.ofDays(36_500);

    /** The behaviour of an operation while a circuit is open. */
    public enum WhenDown {
        /** The operation waits for the store, within its total. */
        WAIT,
        /** The operation fails at once, because its caller has a fallback. */
        FAIL
    }

    /** Checks that all are positive and in order. */
    public StoreRetryPolicy {
        boolean positive = firstDelay.toNanos() > 0 && total.toNanos() > 0;
        if (!positive || maxDelay.compareTo(firstDelay) < 0) {
            throw new IllegalArgumentException(
                    "Cannot form a retry policy: first delay " + firstDelay + ", largest delay " + maxDelay + ", total "
                            + total + ". All must be positive, and the largest delay not below the first.");
        }
    }

    /** The usual pauses (50 ms, doubling up to 5 s) within a total. */
    public static StoreRetryPolicy within(Duration total) {
        return new StoreRetryPolicy(Duration.ofMillis(50), Duration.ofSeconds(5), total, WhenDown.WAIT);
    }

    /** The usual pauses without a deadline, for callers that abandon requests themselves. */
    public static StoreRetryPolicy forever() {
        return within(FOREVER);
    }

    /** The same policy with another behaviour for a store that is known to be down. */
    public StoreRetryPolicy whenDown(WhenDown what) {
        return new StoreRetryPolicy(firstDelay, maxDelay, total, what);
    }

    boolean isForever() {
        return total.compareTo(FOREVER) >= 0;
    }

    /**
     * The pause after a number of failed attempts: uniform between zero and the bound ("full
     * jitter"), so that clients spread out.
     */
    Duration pause(int attempts, long random) {
        long bound = firstDelay.toNanos();
        for (int i = 1; i < attempts && bound < maxDelay.toNanos(); i++) {
            bound *= 2;
        }
        return Duration.ofNanos(Long.remainderUnsigned(random, Math.min(bound, maxDelay.toNanos())));
    }
}
