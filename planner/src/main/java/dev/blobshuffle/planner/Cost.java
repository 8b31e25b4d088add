package dev.blobshuffle.planner;

import dev.blobshuffle.core.internal.pricing.PriceTable;
import java.time.Duration;

/**
 * The cost of a shuffle through blobs, in dollars per hour, by component.
 *
 * @param puts writes of blobs
 * @param gets reads of parts of blobs
 * @param stored bytes kept in the store
 * @param transferred bytes to and from the store, if it charges for them
 * @param notifications cost of notifications in Kafka, including their traffic
 * @param inlined cost of records that go through Kafka, including their traffic
 * @param compute processors of the application
 */
public record Cost(
        double puts,
        double gets,
        double stored,
        double transferred,
        double notifications,
        double inlined,
        double compute) {
    private static final double SECONDS_PER_HOUR = 3600;
    private static final double GIBIBYTE = 1 << 30;

    /**
     * The price of traffic.
     *
     * @param traffic per second
     */
    public static Cost of(Traffic traffic, Workload workload, Tuning tuning, PriceTable prices, KafkaPrices kafka) {
        PriceTable.Traffic bytes = prices.traffic();
        return new Cost(
                SECONDS_PER_HOUR * traffic.puts() * prices.requests().put(),
                SECONDS_PER_HOUR * traffic.gets() * prices.requests().get(),
                stored(traffic, tuning.retention(), prices),
                SECONDS_PER_HOUR
                        * (bytes.of(traffic.storedBytes(), bytes.upload())
                                + bytes.of(traffic.fetchedBytes(), bytes.download())),
                kafka.usdPerHour(traffic.notificationBytes(), prices, workload, KafkaPrices.Readers.RACK_AWARE),
                kafka.usdPerHour(traffic.inlinedBytes(), prices, workload, KafkaPrices.Readers.RACK_AWARE),
                workload.bytesPerSecond() / GIBIBYTE * tuning.cpuSecondsPerGib() * prices.vcpuPerHour());
    }

    /** Dollars per hour for keeping the stored bytes for a time. */
    static double stored(Traffic traffic, Duration time, PriceTable prices) {
        PriceTable.Traffic bytes = prices.traffic();
        return bytes.of(keptBytes(traffic, time), bytes.storageMonth()) / prices.monthHours();
    }

    /** Bytes in the store if each byte stays for a time. */
    static double keptBytes(Traffic traffic, Duration time) {
        return traffic.storedBytes() * time.toMillis() / 1000;
    }

    /** The store's charges. */
    public double store() {
        return puts + gets + stored + transferred;
    }

    /** Kafka's charges for notifications and inlined records. */
    public double kafka() {
        return notifications + inlined;
    }

    /**
     * The cost that replaces the native topic's traffic: everything except compute, which a native
     * application needs as well.
     */
    public double shuffle() {
        return store() + kafka();
    }

    /** The total of all components. */
    public double total() {
        return shuffle() + compute;
    }
}
