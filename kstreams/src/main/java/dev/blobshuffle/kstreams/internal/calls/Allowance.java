package dev.blobshuffle.kstreams.internal.calls;

import java.time.Duration;

/**
 * How many records may wait for their call to start, so that a commit, which waits for all of them,
 * gets through in its time, a <em>drain</em>: as many as are done in two seconds, or a third of a
 * drain, at the present rate; and of one key, whose calls follow each other, as many as half a
 * drain has room for. Where calls take longer than a third of a drain, or none has ended yet,
 * nothing may wait, and what runs ends by its timeout.
 *
 * <pre>
 *   what waits                        what runs before it, and itself
 *   ≤ 1/3 drain at the rate of all  + two calls of ≤ 1/3 drain          ≤ 1 drain
 *   ≤ 1/2 drain one after another   + one call of ≤ 1/3 drain           ≤ 5/6 drain
 * </pre>
 *
 * <p>Where the service slows down, fewer wait here, Kafka Streams' own buffer fills, and the
 * consumer pauses the partition: the fetch rate follows the service. Rate and latency are
 * exponential averages: a service that slows down all at once may still cost one rollback. Guarded
 * by the lock of its {@link ParallelCalls}.
 */
public final class Allowance {
    private static final double TARGET_SECONDS = 2;
    private static final double WINDOW_SECONDS = 2;

    /** Of the last calls, the mean latency is about that of so many. */
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

    /** A call has ended. @param records those of its records that are done */
    void ended(int records, long tookNanos, long nowNanos) {
        decay(nowNanos);
        rate += records / WINDOW_SECONDS;
        double took = tookNanos / 1e9;
        latencySeconds = hasLatency ? latencySeconds + (took - latencySeconds) / LATENCY_CALLS : took;
        hasLatency = true;
    }

    /** Records that may wait now. */
    int records(long nowNanos) {
        decay(nowNanos);
        return isSlow() ? 0 : (int) Math.max(1, Math.min(most, rate * Math.min(TARGET_SECONDS, drainSeconds / 3)));
    }

    /** Calls of one key that may wait now, where they follow each other. */
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
