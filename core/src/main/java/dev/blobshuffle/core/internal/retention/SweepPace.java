package dev.blobshuffle.core.internal.retention;

/**
 * The load that a sweep may cause, and the memory that it may use.
 *
 * @param blobsPerSecond most footers read, and most blobs deleted, per second
 * @param logBytesPerSecond most bytes read from logs per second
 * @param runs most runs in a listing, 28 bytes each; a run is consecutive blobs of one writer and
 *     minute
 * @param blobs most blobs in a listing, a bit each in addition to their runs
 */
public record SweepPace(int blobsPerSecond, long logBytesPerSecond, int runs, int blobs) {
    /**
     * The pace inside an application: at most 16 MiB of memory, and a load that other users of the
     * store and the brokers do not notice.
     */
    public static final SweepPace BESIDE_AN_APPLICATION = new SweepPace(500, 10L << 20, 250_000, 64_000_000);

    /** Checks that all values are positive. */
    public SweepPace {
        if (blobsPerSecond < 1 || logBytesPerSecond < 1 || runs < 1 || blobs < 1) {
            throw new IllegalArgumentException("Cannot sweep at " + blobsPerSecond + " blobs and " + logBytesPerSecond
                    + " bytes per second, with " + runs + " runs of " + blobs + " blobs. Give 1 or more of each.");
        }
    }
}
