package dev.blobshuffle.flightdaemon.internal.server.call;

import java.time.Duration;

/**
 * Checks that a transfer moves the least number of bytes in each period. A period ends as soon as
 * the bytes have moved, so a transfer at the least rate is never too slow. Owned by the watcher of
 * the transfer.
 */
public final class TransferRate {
    private final long leastBytes;
    private final long periodNanos;
    private long sinceNanos;
    private long sinceBytes;

    /**
     * Creates a check and begins the first period.
     *
     * @param leastBytes in each period
     * @param nanos the transfer's elapsed time, from any origin
     * @param bytes moved so far
     */
    public TransferRate(long leastBytes, Duration period, long nanos, long bytes) {
        this.leastBytes = leastBytes;
        periodNanos = period.toNanos();
        restart(nanos, bytes);
    }

    /** A check for the least rate in the settings. */
    public static TransferRate of(Sharing sharing, long nanos, long bytes) {
        return new TransferRate(sharing.leastBytes(), sharing.rateTime(), nanos, bytes);
    }

    /** Begins a new period, because no other client waits. */
    public void restart(long nanos, long bytes) {
        sinceNanos = nanos;
        sinceBytes = bytes;
    }

    /** Whether a whole period has passed without the least number of bytes. */
    public boolean isTooSlow(long nanos, long bytes) {
        if (bytes - sinceBytes >= leastBytes) {
            restart(nanos, bytes);
            return false;
        }
        return nanos - sinceNanos > periodNanos;
    }
}
