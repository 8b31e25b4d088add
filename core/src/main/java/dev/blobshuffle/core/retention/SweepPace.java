package dev.blobshuffle.core.retention;

/**
 * How much a sweep asks of others, and how much it holds.
 *
 * @param blobsPerSecond most blobs per second whose footers it reads, and that it deletes
 * @param logBytesPerSecond most bytes per second that it reads of logs
 * @param runs most runs of consecutive blobs of one writer and minute that a listing holds, 28 bytes each
 * @param blobs most blobs that a listing holds, a bit each beside their runs
 */
public record SweepPace(int blobsPerSecond, long logBytesPerSecond, int runs, int blobs) {
    /** Beside an application: at most 16 MiB, and not noticed by those who share store and brokers. */
    public static final SweepPace BESIDE_AN_APPLICATION = new SweepPace(500, 10L << 20, 250_000, 64_000_000);

    /** Checks that something happens. */
    public SweepPace {
        if (blobsPerSecond < 1 || logBytesPerSecond < 1 || runs < 1 || blobs < 1) {
            throw new IllegalArgumentException("Cannot sweep at " + blobsPerSecond + " blobs and " + logBytesPerSecond
                    + " bytes per second, with " + runs + " runs of " + blobs + " blobs. Give 1 or more of each.");
        }
    }
}
