package dev.blobshuffle.planner;

import dev.blobshuffle.core.pricing.NativeKafka;
import dev.blobshuffle.core.pricing.PriceTable;

/**
 * What a shuffle through blobs costs, dollars per hour, by component.
 *
 * @param puts writes of blobs
 * @param gets reads of parts of blobs
 * @param stored bytes kept in the store
 * @param transferred bytes to and from the store, where it charges for them
 * @param notifications traffic between zones of notifications
 * @param inlined traffic between zones of records that go through Kafka
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

    /** What the store charges. */
    public double store() {
        return puts + gets + stored + transferred;
    }

    /** Traffic between zones that is left. */
    public double kafka() {
        return notifications + inlined;
    }

    /** What takes the place of the native topic's traffic: everything but compute, of which a native application has its own. */
    public double shuffle() {
        return store() + kafka();
    }

    /** Everything. */
    public double total() {
        return shuffle() + compute;
    }
}
