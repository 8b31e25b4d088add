package dev.blobshuffle.bench.paper;

import dev.blobshuffle.core.internal.pricing.NativeKafka;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.pricing.PriceTables;

/**
 * List prices at 1 GiB per second with an hour of retention, USD per hour, as in the paper.
 * Stateless.
 */
final class PaperPrices {
    private static final double GIBIBYTE = 1 << 30;
    private static final double SECONDS_PER_HOUR = 3600;
    private static final double NOTIFICATION_BYTES = 100;
    private static final int REPLICAS = 3;
    private static final PriceTable AWS = PriceTables.named("aws");

    private PaperPrices() {}

    /** Requests to S3, and the bytes that it keeps. */
    static double store(ClusterResult result) {
        double perGibibyte = 1 / result.gibibytesPerSecond();
        double requests = result.putsPerSecond() * AWS.requests().put()
                + result.getsPerSecond() * AWS.requests().get();
        double kept = AWS.traffic()
                .of(
                        SECONDS_PER_HOUR * result.overhead() * GIBIBYTE,
                        AWS.traffic().storageMonth());
        return SECONDS_PER_HOUR * requests * perGibibyte + kept / AWS.monthHours();
    }

    /** Traffic of notifications between zones; the paper leaves it out. */
    static double notifications(ClusterResult result) {
        double bytesPerSecond = result.notificationsPerSecond() / result.gibibytesPerSecond() * NOTIFICATION_BYTES;
        return NativeKafka.usdPerHour(bytesPerSecond, AWS, Deployment.ZONES, REPLICAS, 0);
    }

    /** Traffic of the records between zones, through a native topic with three replicas. */
    static double natively() {
        return NativeKafka.usdPerHour(GIBIBYTE, AWS, Deployment.ZONES, REPLICAS, 0);
    }
}
