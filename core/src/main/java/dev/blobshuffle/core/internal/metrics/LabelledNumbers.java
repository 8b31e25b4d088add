package dev.blobshuffle.core.internal.metrics;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * The metrics of a part of the process that is not an engine, and the labels that distinguish it
 * from other parts on the same page.
 *
 * @param labels values by name, in order; a name has lower-case letters, digits and underscores
 * @param numbers the current value of each metric, in the metric's unit; called on any thread
 */
public record LabelledNumbers(Map<String, String> labels, Map<Metric, DoubleSupplier> numbers) {
    /** Checks the names, and copies the maps. */
    public LabelledNumbers {
        labels = LabelledMetrics.checked(labels);
        numbers = Collections.unmodifiableMap(new LinkedHashMap<>(numbers));
    }
}
