package dev.blobshuffle.core.internal.resilience;

import java.time.Duration;

/**
 * When a store counts as down, and how long no request is sent to it.
 *
 * @param failures number of consecutive failures that open the circuit
 * @param span the least time from the first of them to the last: a burst is not an outage
 * @param firstPause time without requests after the circuit has opened; doubles with each probe
 *     that fails
 * @param longestPause the longest such time
 */
public record CircuitPolicy(int failures, Duration span, Duration firstPause, Duration longestPause) {
    /**
     * Five failures in a row over at least a second; a probe after 1 s, then every 2 s. Longer
     * pauses would delay all callers once the store is back, and one request in 2 s does not burden
     * it.
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
