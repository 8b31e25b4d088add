package dev.blobshuffle.kstreams.internal.calls;

import java.time.Duration;

/**
 * Limits how many records may wait for their call to start, so that a commit, which waits for all
 * of them, finishes within its time limit, the <em>drain</em>. The limit is the number of records
 * that finish within two seconds, or a third of a drain, at the current rate. Calls of one key run
 * one after another, so of one key as many may wait as fit into half a drain. If calls take longer
 * than a third of a drain, or none has ended yet, no record may wait, and running calls end by
 * their timeout.
 *
 * <pre>
 *   what waits                        what runs before it, and itself
 *   ≤ 1/3 drain at the rate of all  + two calls of ≤ 1/3 drain          ≤ 1 drain
 *   ≤ 1/2 drain one after another   + one call of ≤ 1/3 drain           ≤ 5/6 drain
 * </pre>
 *
 * <p>If the service slows down, fewer records wait here, Kafka Streams' own buffer fills, and the
 * consumer pauses the partition: the fetch rate follows the service. Rate and latency are
 * exponential averages, so a sudden slowdown may still cost one rollback. Guarded by the lock of
 * its {@link ParallelCalls}.
 */
public final class Allowance {
    private static final double TARGET_SECONDS = 2;
    private static final double WINDOW_SECONDS = 2;

    /** The mean latency covers about this many recent calls. */
    private static final int LATENCY_CALLS = 16;

    private final double drainSeconds;
    private final int most;
    private double rate;
    private double latencySeconds;
    private boolean hasLatency;
    private long lastNanos;

    Allowance(Duration drain, int most, long nowNanos) {
        this.drainSeconds = drain.toNanos() / 1e9;
        this.most = most;
        this.lastNanos = nowNanos;
    }

    /** Called when a call has ended. @param records number of its finished records */
    void ended(int records, long tookNanos, long nowNanos) {
        decay(nowNanos);
        rate += records / WINDOW_SECONDS;
        double took = tookNanos / 1e9;
        latencySeconds = hasLatency ? latencySeconds + (took - latencySeconds) / LATENCY_CALLS : took;
        hasLatency = true;
    }

    /** Number of records that may wait now. */
    int records(long nowNanos) {
        decay(nowNanos);
        return isSlow() ? 0 : (int) Math.max(1, Math.min(most, rate * Math.min(TARGET_SECONDS, drainSeconds / 3)));
    }

    /** Number of one key's calls that may wait now, if they run one after another. */
    int callsOfKey() {
        return isSlow() ? 0 : (int) Math.max(0, Math.min(most, drainSeconds / 2 / latencySeconds - 1));
    }

    private boolean isSlow() {
        return !hasLatency || latencySeconds > drainSeconds / 3;
    }

    private void decay(long nowNanos) {
        rate *= Math.exp((lastNanos - nowNanos) / 1e9 / WINDOW_SECONDS);
        lastNanos = nowNanos;
    }
}
