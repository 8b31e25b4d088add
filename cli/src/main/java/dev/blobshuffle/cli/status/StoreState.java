package dev.blobshuffle.cli.status;

import dev.blobshuffle.core.internal.pricing.PriceTable;
import java.util.Optional;

/**
 * The content of a store, for all applications that use it.
 *
 * @param location the store, without credentials
 * @param blobs number of listed blobs
 * @param bytes of these blobs, estimated from a sample
 * @param isCut whether there are more than were listed
 * @param oldestMillis when the oldest listed blob was sealed, to the minute; empty if there is none
 * @param recent blobs sealed in the last {@code recentMinutes}
 * @param recentMinutes counted minutes, at most 60
 * @param prices of the store; empty if unknown
 */
record StoreState(
        String location,
        long blobs,
        long bytes,
        boolean isCut,
        Optional<Long> oldestMillis,
        long recent,
        int recentMinutes,
        Optional<PriceTable> prices) {
    private static final double MINUTES_PER_HOUR = 60;

    /**
     * Estimated dollars per hour.
     *
     * @param puts for the written blobs
     * @param gets if each other zone reads each blob once
     * @param stored for the stored bytes
     */
    record Cost(double puts, double gets, double stored) {
        double total() {
            return puts + gets + stored;
        }
    }

    /** Blobs written per hour that still exist. */
    double blobsPerHour() {
        return recentMinutes == 0 ? 0 : recent * MINUTES_PER_HOUR / recentMinutes;
    }

    /**
     * The cost of the store; empty without prices.
     *
     * @param zones number of zones that read
     */
    Optional<Cost> cost(int zones) {
        return prices.map(table -> new Cost(
                blobsPerHour() * table.requests().put(),
                blobsPerHour() * (zones - 1) * table.requests().get(),
                table.traffic().of(bytes, table.traffic().storageMonth()) / table.monthHours()));
    }
}
