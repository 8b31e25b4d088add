package dev.blobshuffle.bench.store;

/**
 * The parameters of one measurement.
 *
 * @param transport {@code plain}, {@code tls}, or {@code given} for a store that the user names
 * @param direction the direction in which blobs are moved
 * @param mebibytes size of a blob
 * @param concurrency blobs in flight
 */
public record TransferCell(String transport, Direction direction, int mebibytes, int concurrency) {
    /** The direction in which blobs are moved. */
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
