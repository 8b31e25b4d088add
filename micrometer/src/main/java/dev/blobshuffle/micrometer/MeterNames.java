package dev.blobshuffle.micrometer;

import dev.blobshuffle.core.internal.metrics.Latency;
import dev.blobshuffle.core.internal.metrics.Metric;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Computes the names and units of meters. A Prometheus registry appends the unit and
 * {@code _total}. The results are the names of our own endpoint, so one dashboard and one set of
 * alert rules serve both. Stateless.
 */
final class MeterNames {
    private static final String PREFIX = "blobshuffle.";

    private MeterNames() {}

    static String name(Metric metric) {
        return PREFIX + metric.name().replace('-', '.');
    }

    static String name(Latency latency) {
        return PREFIX + latency.name().toLowerCase(Locale.ROOT).replace('_', '.');
    }

    /**
     * The unit that Micrometer appends; null for none. Names with {@code bytes} before their end
     * already contain the unit.
     */
    static @Nullable String baseUnit(Metric metric) {
        return switch (metric.unit()) {
            case BYTES -> metric.name().contains("bytes") && !metric.name().endsWith("-bytes") ? null : "bytes";
            case MILLISECONDS -> "seconds";
            case MICRODOLLARS -> "dollars";
            case RECORDS, BLOBS, BATCHES, NOTIFICATIONS, REQUESTS, OCCURRENCES -> null;
        };
    }
}
