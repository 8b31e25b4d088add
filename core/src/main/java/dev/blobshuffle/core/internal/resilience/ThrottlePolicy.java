package dev.blobshuffle.core.internal.resilience;

/**
 * The limits on the requests in flight to a store, per kind of request. Deletes and listings have
 * an eighth of the gets' limit.
 *
 * @param puts the most puts in flight: a put of 16 MiB takes about half a second, so sixteen carry
 *     400 MiB per second
 * @param gets the most gets in flight
 * @param waiting the most requests that wait; further ones are refused
 */
public record ThrottlePolicy(int puts, int gets, int waiting) {
    /** 16 puts and 32 gets in flight, and up to 1,000 of each waiting. */
    public static final ThrottlePolicy USUAL = new ThrottlePolicy(16, 32, 1000);

    /** Checks that all are positive. */
    public ThrottlePolicy {
        if (puts < 1 || gets < 1 || waiting < 1) {
            throw new IllegalArgumentException("Cannot form a throttle policy: " + puts + " puts, " + gets + " gets, "
                    + waiting + " waiting. Give 1 or more of each.");
        }
    }

    int most(Kind kind) {
        return switch (kind) {
            case PUT -> puts;
            case GET -> gets;
            case OTHER -> Math.max(1, gets / 8);
        };
    }
}
