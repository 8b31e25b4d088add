package dev.blobshuffle.bench.store;

/**
 * What is measured at once.
 *
 * @param transport {@code plain}, {@code tls}, or {@code given} for a store that the user names
 * @param direction what blobs do
 * @param mebibytes size of a blob
 * @param concurrency blobs in flight
 */
public record TransferCell(String transport, Direction direction, int mebibytes, int concurrency) {
    /** What blobs do. */
    public enum Direction {
        /** They are stored. */
        PUT,
        /** They are read. */
        GET
    }

    int blobBytes() {
        return mebibytes << 20;
    }
}
