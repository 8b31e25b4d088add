package dev.blobshuffle.core.internal.pricing;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.Optional;

/**
 * The prices of a provider in one region, in US dollars. Immutable data from the files that
 * {@link PriceTables} reads.
 *
 * @param name the table's name
 * @param title the name for display
 * @param date the date of the prices, from the file
 * @param source the source of the prices
 * @param scheme the scheme of the store URIs with these prices
 * @param requests prices of requests
 * @param traffic prices of bytes
 * @param monthHours hours in a billed month
 * @param vcpuPerHour one virtual processor for one hour
 * @param profile name of the store's latency profile
 */
public record PriceTable(
        String name,
        String title,
        String date,
        String source,
        String scheme,
        Requests requests,
        Traffic traffic,
        double monthHours,
        double vcpuPerHour,
        String profile) {

    /** Checks that the month is positive and the processor's price is not negative. */
    public PriceTable {
        require(monthHours > 0, "month.hours", monthHours);
        require(vcpuPerHour >= 0, "vcpu.usd.per.hour", vcpuPerHour);
    }

    /**
     * Prices of requests, dollars each.
     *
     * @param put a write of a blob
     * @param get a read of a part of a blob
     * @param list a listing
     */
    public record Requests(double put, double get, double list) {
        /** Checks that none is negative. */
        public Requests {
            require(put >= 0 && get >= 0 && list >= 0, "price of a request", put + "/" + get + "/" + list);
        }
    }

    /**
     * Prices of bytes, dollars per billed gigabyte.
     *
     * @param gigabyteBytes the bytes of a billed gigabyte: 2^30 or 10^9
     * @param storageMonth price of storage for a month
     * @param upload price of bytes written to the store
     * @param download price of bytes read from the store
     * @param crossing price of bytes sent from one zone to another, both ends
     */
    public record Traffic(double gigabyteBytes, double storageMonth, double upload, double download, double crossing) {
        /** Checks that none is negative. */
        public Traffic {
            require(gigabyteBytes >= 1, "gigabyte.bytes", gigabyteBytes);
            require(
                    storageMonth >= 0 && upload >= 0 && download >= 0 && crossing >= 0,
                    "price of a gigabyte",
                    storageMonth + "/" + upload + "/" + download + "/" + crossing);
        }

        /** Dollars for a number of bytes at a price per gigabyte. */
        public double of(double bytes, double pricePerGigabyte) {
            return bytes / gigabyteBytes * pricePerGigabyte;
        }
    }

    private static void require(boolean sound, String what, Object value) {
        if (!sound) {
            throw new InvalidSettingsException("Cannot use a price table: " + what + " is " + value
                    + ". Give a price of 0 or more, and positive units.");
        }
    }

    /**
     * The size in bytes from which a blob of one zone's records is cheaper than Kafka's replicated
     * path. Counts only requests: one put, and the gets of readers outside the writer's zone. Empty
     * if no size pays off, because cross-zone traffic is free or not more expensive than the
     * store's traffic.
     *
     * @param zones number of zones
     * @param replicationFactor replicas of a native topic
     */
    public Optional<Double> breakEvenBytes(int zones, int replicationFactor) {
        double away = (zones - 1.0) / zones;
        double perBlob = requests.put() + away * requests.get();
        double nativePerByte = NativeKafka.crossings(zones, replicationFactor, 0) * traffic.of(1, traffic.crossing);
        double storePerByte = traffic.of(1, traffic.upload) + away * traffic.of(1, traffic.download);
        double saved = nativePerByte - storePerByte;
        return saved > 0 ? Optional.of(perBlob / saved) : Optional.empty();
    }
}
