package dev.blobshuffle.core.internal.read;

/**
 * The limits of one partition in one turn of a drain, and what it has returned in it. Owned by the
 * Debatcher's thread.
 */
final class DrainQuota {
    private final int maxRecords;
    private final long maxBytes;
    private int records;
    private long bytes;

    DrainQuota(int maxRecords, long maxBytes) {
        this.maxRecords = maxRecords;
        this.maxBytes = maxBytes;
    }

    /** Whether another record may be returned. */
    boolean isOpen() {
        return records < maxRecords && bytes < maxBytes;
    }

    /** Counts a record. */
    void handedOut(long recordBytes) {
        records++;
        bytes += recordBytes;
    }

    int records() {
        return records;
    }

    long bytes() {
        return bytes;
    }
}
