package dev.blobshuffle.bench.search;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The settings of a search.
 *
 * @param metric demand or capacity
 * @param kind the unit of a load
 * @param loads to try
 * @param instances numbers of them to try
 * @param strategy the order in which values are tried
 * @param restriction whether larger loads begin where smaller ones ended
 * @param repetitions of each experiment, all of which must meet the objectives
 * @param objectives the objectives that a carried load meets
 */
public record SearchSettings(
        Metric metric,
        LoadKind kind,
        List<Long> loads,
        List<Long> instances,
        Strategy strategy,
        ScalabilitySearch.Restriction restriction,
        int repetitions,
        Objectives objectives) {
    /** Theodolite's metrics. */
    public enum Metric {
        /** The least instances for a load. */
        DEMAND,
        /** The largest load for so many instances. */
        CAPACITY;

        /** The metric of a name in lower case. */
        public static Metric named(String name) {
            return switch (name) {
                case "demand" -> DEMAND;
                case "capacity" -> CAPACITY;
                default ->
                    throw new IllegalArgumentException(
                            "Cannot search for " + name + ": there is no such metric. Give demand or capacity.");
            };
        }
    }

    /** Checks the numbers of instances. */
    public SearchSettings {
        if (instances.stream().anyMatch(number -> number < 1)) {
            throw new IllegalArgumentException(
                    "Cannot search with instances " + instances + ": one is less than 1. Give 1 or more.");
        }
    }

    /** Whether instances are searched for each load. */
    public boolean isDemand() {
        return metric == Metric.DEMAND;
    }

    /** The settings as in a result file. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("metric", label(metric));
        json.put("strategy", label(strategy));
        json.put("restriction", restriction == ScalabilitySearch.Restriction.LOWER_BOUND ? "LowerBound" : "none");
        json.put("load_kind", label(kind));
        json.put("loads", loads);
        json.put("resources", instances);
        json.put("repetitions", repetitions);
        return json;
    }

    private static String label(Enum<?> one) {
        return one.name().toLowerCase(Locale.ROOT);
    }
}
