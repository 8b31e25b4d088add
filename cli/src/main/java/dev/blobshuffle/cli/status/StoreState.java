package dev.blobshuffle.cli.status;

import dev.blobshuffle.core.internal.pricing.PriceTable;
import java.util.Optional;

/**
 * What a store holds, of all applications that use it.
 *
 * @param location the store, without credentials
 * @param blobs those that were listed
 * @param bytes theirs, estimated from a sample
 * @param isCut whether there are more than were listed
 * @param oldestMillis when the oldest listed one was sealed, to the minute; empty if there is none
 * @param recent blobs sealed in the last {@code recentMinutes}
 * @param recentMinutes minutes that are counted, at most 60
 * @param prices what the store charges; empty if unknown
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
     * Dollars per hour, estimated.
     *
     * @param puts for the blobs that were written
     * @param gets if each other zone reads each blob once
     * @param stored for the bytes that are kept
     */
    record Cost(double puts, double gets, double stored) {
        double total() {
            return puts + gets + stored;
        }
    }

    /** Blobs that were written per hour and still exist. */
    double blobsPerHour() {
        return recentMinutes == 0 ? 0 : recent * MINUTES_PER_HOUR / recentMinutes;
    }

    /**
     * What the store costs; empty without prices.
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
