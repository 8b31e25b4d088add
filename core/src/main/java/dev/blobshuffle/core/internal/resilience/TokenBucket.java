package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.time.Time;

/**
 * A budget for extra requests. Each usual request adds a fraction of a token, each extra request
 * takes a whole token, and the bucket holds a bounded number. The extra requests are thus at most
 * that fraction of the usual ones, plus the tokens at the start and those added over time.
 * Thread-safe.
 */
final class TokenBucket {
    private static final double NANOS_PER_SECOND = 1e9;

    private final double share;
    private final double perSecond;
    private final double most;
    private final Time time;

    /** Guarded by this. */
    private double tokens;

    private long filledNanos;

    /**
     * A bucket.
     *
     * @param share tokens per usual request
     * @param perSecond tokens that are added per second
     * @param most the most tokens that it holds
     * @param first tokens at the start
     */
    TokenBucket(double share, double perSecond, double most, double first, Time time) {
        this.share = share;
        this.perSecond = perSecond;
        this.most = most;
        this.time = time;
        tokens = first;
        filledNanos = time.nanos();
    }

    /** Records a usual request. */
    synchronized void request() {
        add(share);
    }

    /** Takes a whole token, if there is one. */
    synchronized boolean tryTake() {
        long now = time.nanos();
        add((now - filledNanos) / NANOS_PER_SECOND * perSecond);
        filledNanos = now;
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }

    /** Returns the token of a request that was not sent. */
    synchronized void giveBack() {
        add(1);
    }

    private void add(double amount) {
        tokens = Math.min(most, tokens + amount);
    }
}
