package dev.blobshuffle.kstreams.keyparallel;

import java.time.Duration;

/**
 * How many records may wait for their call to start: as many as are done within a target time at the present rate, so that a commit, which waits for all of them, gets through; one at
 * least, since without it there is no rate to measure. Where the service slows down, fewer wait here, Kafka Streams' own buffer fills, and the consumer pauses the partition: the fetch rate
 * follows the service. The rate is an exponential average. Guarded by the lock of its {@link ParallelCalls}.
 */
final class Allowance {
    private static final double WINDOW_SECONDS = 2;

    private final double targetSeconds;
    private final int most;
    private double rate;
    private long lastNanos;

    Allowance(Duration target, int most, long nowNanos) {
        this.targetSeconds = target.toNanos() / 1e9;
        this.most = most;
        this.lastNanos = nowNanos;
    }

    /** Records were done. */
    void completed(int records, long nowNanos) {
        decay(nowNanos);
        rate += records / WINDOW_SECONDS;
    }

    /** Records that may wait now. */
    int records(long nowNanos) {
        decay(nowNanos);
        return (int) Math.max(1, Math.min(most, rate * targetSeconds));
    }

    private void decay(long nowNanos) {
        rate *= Math.exp((lastNanos - nowNanos) / 1e9 / WINDOW_SECONDS);
        lastNanos = nowNanos;
    }
}
