package dev.blobshuffle.core.internal.pricing;

import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;

/**
 * Computes the cost of an instance's requests from its counters, and the cost that its records
 * would have caused natively. The computation runs only when the metrics are read. Stateless.
 */
public final class LiveCost {
    private static final double MICRODOLLARS = 1e6;
    private static final double KIBIBYTE = 1024;

    /**
     * The usual number of zones in a cloud, because the engine does not know the cluster's number.
     */
    private static final int ZONES = 3;

    private static final int REPLICAS = 3;

    private LiveCost() {}

    /**
     * Adds {@link Gauge#STORE_COST} and {@link Gauge#NATIVE_COST} to an instance's metrics, for as
     * long as the metrics are used.
     */
    @SuppressWarnings("resource") // The registrations last as long as the metrics.
    public static void report(ShuffleMetrics metrics, PriceTable prices) {
        metrics.report(Gauge.STORE_COST, () -> microdollars(storeUsd(metrics, prices)));
        metrics.report(
                Gauge.NATIVE_COST,
                () -> microdollars(nativeUsd(metrics.value(Counter.BYTES_APPENDED), prices, ZONES, REPLICAS)));
    }

    private static long microdollars(double usd) {
        return Math.round(usd * MICRODOLLARS);
    }

    /**
     * Dollars for the counted requests, including failed and repeated ones, and for bytes in and
     * out if the store charges for them.
     */
    public static double storeUsd(ShuffleMetrics metrics, PriceTable prices) {
        PriceTable.Requests requests = prices.requests();
        PriceTable.Traffic traffic = prices.traffic();
        return metrics.value(Counter.PUTS) * requests.put()
                + (metrics.value(Counter.GETS) + metrics.value(Counter.HEADS)) * requests.get()
                + metrics.value(Counter.LISTS) * requests.list()
                + traffic.of(metrics.value(Counter.BYTES_SENT), traffic.upload())
                + traffic.of(metrics.value(Counter.BYTES_FETCHED), traffic.download());
    }

    /**
     * Dollars for the cross-zone traffic of these bytes in a native topic whose consumers fetch
     * from the closest replica.
     */
    public static double nativeUsd(double bytes, PriceTable prices, int zones, int replicationFactor) {
        PriceTable.Traffic traffic = prices.traffic();
        return NativeKafka.crossings(zones, replicationFactor, 0) * traffic.of(bytes, traffic.crossing());
    }

    /**
     * Size below which a batch is cheaper through Kafka, in bytes, a multiple of 1 KiB; 0 if no
     * batch is.
     */
    public static long inlineBytes(PriceTable prices) {
        double breakEven = prices.breakEvenBytes(ZONES, REPLICAS).orElse(0.0);
        return (long) (Math.ceil(breakEven / KIBIBYTE) * KIBIBYTE);
    }
}
