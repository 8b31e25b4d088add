package dev.blobshuffle.planner;

import dev.blobshuffle.core.internal.pricing.NativeKafka;
import dev.blobshuffle.core.internal.pricing.PriceTable;

/**
 * The cost of a shuffle through blobs, in dollars per hour, by component.
 *
 * @param puts writes of blobs
 * @param gets reads of parts of blobs
 * @param stored bytes kept in the store
 * @param transferred bytes to and from the store, if it charges for them
 * @param notifications cross-zone traffic of notifications
 * @param inlined cross-zone traffic of records that go through Kafka
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
    public static Cost of(Traffic traffic, Workload workload, Tuning tuning, PriceTable prices) {
        PriceTable.Traffic bytes = prices.traffic();
        double keptBytes = traffic.storedBytes() * tuning.retention().toMillis() / 1000;
        return new Cost(
                SECONDS_PER_HOUR * traffic.puts() * prices.requests().put(),
                SECONDS_PER_HOUR * traffic.gets() * prices.requests().get(),
                bytes.of(keptBytes, bytes.storageMonth()) / prices.monthHours(),
                SECONDS_PER_HOUR
                        * (bytes.of(traffic.storedBytes(), bytes.upload())
                                + bytes.of(traffic.fetchedBytes(), bytes.download())),
                throughKafka(traffic.notificationBytes(), workload, prices),
                throughKafka(traffic.inlinedBytes(), workload, prices),
                workload.bytesPerSecond() / GIBIBYTE * tuning.cpuSecondsPerGib() * prices.vcpuPerHour());
    }

    private static double throughKafka(double bytesPerSecond, Workload workload, PriceTable prices) {
        return NativeKafka.usdPerHour(bytesPerSecond, prices, workload.zones(), workload.replicationFactor(), 0);
    }

    /** The store's charges. */
    public double store() {
        return puts + gets + stored + transferred;
    }

    /** The remaining cross-zone traffic. */
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
