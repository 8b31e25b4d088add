package dev.blobshuffle.kstreams.keyparallel.calls;

import java.time.Duration;

/**
 * How failed calls are retried. The delay doubles each time. Meanwhile the key waits, and so does
 * the next commit. An {@link Error} is never retried.
 *
 * @param attempts calls in all, at least 1
 * @param delay before the second attempt
 * @param maxDelay the longest delay
 */
public record RetryPolicy(int attempts, Duration delay, Duration maxDelay) {
    private static final RetryPolicy NONE = new RetryPolicy(1, Duration.ZERO, Duration.ZERO);

    /** Checks the values. */
    public RetryPolicy {
        if (attempts < 1 || delay.isNegative() || maxDelay.compareTo(delay) < 0) {
            throw new IllegalArgumentException("Cannot retry calls: " + attempts + " attempts, " + delay + " to "
                    + maxDelay + " apart. Give 1 or more attempts, and a longest delay that is not below the first.");
        }
    }

    /** No retries. */
    public static RetryPolicy none() {
        return NONE;
    }

    /** The delay before the next attempt. */
    public Duration delayAfter(int attemptsMade) {
        long factor = 1L << Math.min(attemptsMade - 1, 30);
        Duration longest = maxDelay.dividedBy(factor);
        return longest.compareTo(delay) < 0 ? maxDelay : delay.multipliedBy(factor);
    }

    /** The longest time of all attempts and the delays between them. */
    public Duration longest(Duration attemptTimeout) {
        Duration sum = attemptTimeout.multipliedBy(attempts);
        for (int made = 1; made < attempts; made++) {
            sum = sum.plus(delayAfter(made));
        }
        return sum;
    }
}
