package dev.blobshuffle.flight.internal.server;

import java.time.Duration;

/**
 * Whether a transfer moves the least number of bytes in each period. A period ends as soon as it
 * has moved them, so a transfer that keeps the least rate is never too slow. Owned by the
 * watcher of the transfer.
 */
final class TransferRate {
    private final long leastBytes;
    private final long periodNanos;
    private long sinceNanos;
    private long sinceBytes;

    /**
     * A rate; the first period begins.
     *
     * @param leastBytes in each period
     * @param nanos that have passed for the transfer, from any origin
     * @param bytes that it has moved
     */
    TransferRate(long leastBytes, Duration period, long nanos, long bytes) {
        this.leastBytes = leastBytes;
        periodNanos = period.toNanos();
        restart(nanos, bytes);
    }

    /** The least rate of tenants that share. */
    static TransferRate of(Sharing sharing, long nanos, long bytes) {
        return new TransferRate(sharing.leastBytes(), sharing.rateTime(), nanos, bytes);
    }

    /** Begins a new period, because no other client waits for the transfer. */
    void restart(long nanos, long bytes) {
        sinceNanos = nanos;
        sinceBytes = bytes;
    }

    /** Whether a whole period has passed without its bytes. */
    boolean isTooSlow(long nanos, long bytes) {
        if (bytes - sinceBytes >= leastBytes) {
            restart(nanos, bytes);
            return false;
        }
        return nanos - sinceNanos > periodNanos;
    }
}
