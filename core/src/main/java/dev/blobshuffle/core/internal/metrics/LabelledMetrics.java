package dev.blobshuffle.core.internal.metrics;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The metrics of one engine, and the labels that distinguish it from other engines on the same
 * page.
 *
 * @param labels values by name, in order; a name has lower-case letters, digits and underscores
 * @param metrics the metrics to show
 */
public record LabelledMetrics(Map<String, String> labels, ShuffleMetrics metrics) {
    /** Checks the names, and copies the labels. */
    public LabelledMetrics {
        labels = checked(labels);
    }

    /** A copy of the labels in their order. Checks that Prometheus accepts their names. */
    static Map<String, String> checked(Map<String, String> labels) {
        for (String name : labels.keySet()) {
            if (!name.matches("[a-z][a-z0-9_]*")) {
                throw new IllegalArgumentException("Cannot label metrics with '" + name
                        + "': use lower-case letters, digits and underscores, a letter first.");
            }
        }
        return Collections.unmodifiableMap(new LinkedHashMap<>(labels));
    }

    /** Metrics without labels, for an engine that is alone on its page. */
    public static LabelledMetrics alone(ShuffleMetrics metrics) {
        return new LabelledMetrics(Map.of(), metrics);
    }

    /** The same metrics with one more label, if there is a value for it. */
    public LabelledMetrics with(String name, Optional<String> value) {
        if (value.isEmpty()) {
            return this;
        }
        Map<String, String> more = new LinkedHashMap<>(labels);
        more.put(name, value.get());
        return new LabelledMetrics(more, metrics);
    }
}
