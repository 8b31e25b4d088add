package dev.blobshuffle.core.internal.resilience;

import java.time.Duration;

/**
 * The policy for sending a slow request a second time.
 *
 * @param puts the most extra puts in flight; 0: puts are never sent twice
 * @param gets the most extra gets in flight; 0: gets are never sent twice
 * @param share extra requests per request, over time
 * @param firstPutDelay time after which a put is sent again while there are too few samples for a
 *     percentile
 * @param firstGetDelay the same time for gets
 * @param leastDelay lower bound of both times, regardless of the samples
 */
public record HedgePolicy(
        int puts, int gets, double share, Duration firstPutDelay, Duration firstGetDelay, Duration leastDelay) {
    /** No request is sent twice. */
    public static final HedgePolicy NEVER = usual(0, 0);

    private static final int MOST = 4;
    private static final int TENTH = 10;

    /** Checks the ranges. */
    public HedgePolicy {
        if (puts < 0 || gets < 0 || !(share >= 0 && share <= 1) || leastDelay.isNegative()) {
            throw new IllegalArgumentException(
                    "Cannot form a hedge policy: " + puts + " puts, " + gets + " gets, share " + share
                            + ", least delay " + leastDelay + ". None may be negative, and the share at most 1.");
        }
    }

    /**
     * At most 5 % extra requests. The extra requests in flight are at most a tenth of the
     * throttle's limit, and at most 4.
     */
    public static HedgePolicy within(ThrottlePolicy throttling) {
        return usual(tenth(throttling.puts()), tenth(throttling.gets()));
    }

    private static HedgePolicy usual(int puts, int gets) {
        return new HedgePolicy(puts, gets, 0.05, Duration.ofSeconds(2), Duration.ofSeconds(1), Duration.ofMillis(50));
    }

    private static int tenth(int inFlight) {
        return Math.max(1, Math.min(MOST, inFlight / TENTH));
    }

    int most(Kind kind) {
        return switch (kind) {
            case PUT -> puts;
            case GET -> gets;
            case OTHER -> 0;
        };
    }

    Duration firstDelay(Kind kind) {
        return kind == Kind.PUT ? firstPutDelay : firstGetDelay;
    }
}
