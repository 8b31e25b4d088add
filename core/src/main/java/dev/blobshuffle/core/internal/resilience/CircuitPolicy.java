package dev.blobshuffle.core.internal.resilience;

import java.time.Duration;

/**
 * The policy for when a store counts as down, and how long no requests are sent to it.
 *
 * @param failures number of consecutive failures that open the circuit
 * @param span the minimum time from the first of these failures to the last, because a burst is not
 *     an outage
 * @param firstPause time without requests after the circuit has opened; doubles with each probe
 *     that fails
 * @param longestPause the longest time without requests
 */
public record CircuitPolicy(int failures, Duration span, Duration firstPause, Duration longestPause) {
    /**
     * Five consecutive failures over at least a second; a probe after 1 s, then every 2 s. Longer
     * pauses would delay all callers after the store has recovered, and one request every 2 s is no
     * burden.
     */
    public static final CircuitPolicy USUAL =
            new CircuitPolicy(5, Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(2));

    /** Checks that all are positive and in order. */
    public CircuitPolicy {
        if (failures < 1 || span.isNegative() || firstPause.toNanos() < 1 || longestPause.compareTo(firstPause) < 0) {
            throw new IllegalArgumentException("Cannot form a circuit policy: " + failures + " failures over " + span
                    + ", pauses from " + firstPause + " to " + longestPause
                    + ". All must be positive, and the longest pause not below the first.");
        }
    }
}
