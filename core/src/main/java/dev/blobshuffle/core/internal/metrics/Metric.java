package dev.blobshuffle.core.internal.metrics;

/**
 * The description that a front door needs to publish one number. Two metrics never share a name.
 *
 * @param name lower case with dashes, as Kafka's metrics are named
 * @param kind how the number changes
 * @param unit what the number counts
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

    /** How a number changes. */
    public enum Kind {
        /** Only rises, from 0 at the start of the instance. */
        COUNTER,
        /** The present state; rises and falls. */
        GAUGE,
        /** A percentile, or the maximum, of everything measured in the last 30 to 60 seconds. */
        QUANTILE
    }

    /** What a number counts. */
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
        /** Requests to the store, each attempt counted. */
        REQUESTS,
        /** Occurrences of the event in the metric's name. */
        OCCURRENCES,
        /** Millionths of a US dollar. */
        MICRODOLLARS,
        /** Milliseconds, with fractions. */
        MILLISECONDS
    }
}
