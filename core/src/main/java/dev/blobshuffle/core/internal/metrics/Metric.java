package dev.blobshuffle.core.internal.metrics;

/**
 * The description of one published number. Names are unique.
 *
 * @param name lower case with dashes, as Kafka's metrics are named
 * @param kind the kind of the number
 * @param unit the unit of the number
 * @param doc one sentence for operators
 */
public record Metric(String name, Kind kind, Unit unit, String doc) {
    /** Checks the name. */
    public Metric {
        if (!name.matches("[a-z0-9]+(-[a-z0-9]+)*")) {
            throw new IllegalArgumentException(
                    "Cannot name a metric '" + name + "': use lower-case words with dashes between them.");
        }
    }

    /** The kinds of numbers. */
    public enum Kind {
        /** Only increases, from 0 at the start of the instance. */
        COUNTER,
        /** The current state; increases and decreases. */
        GAUGE,
        /** A percentile, or the maximum, of everything measured in the last 30 to 60 seconds. */
        QUANTILE
    }

    /** The units of numbers. */
    public enum Unit {
        /** Records of the application. */
        RECORDS,
        /** Bytes. */
        BYTES,
        /** Blobs. */
        BLOBS,
        /** Batches. */
        BATCHES,
        /** Notifications. */
        NOTIFICATIONS,
        /** Requests to the store, counting each attempt. */
        REQUESTS,
        /** Occurrences of the event in the metric's name. */
        OCCURRENCES,
        /** Millionths of a US dollar. */
        MICRODOLLARS,
        /** Milliseconds, with fractions. */
        MILLISECONDS
    }
}
