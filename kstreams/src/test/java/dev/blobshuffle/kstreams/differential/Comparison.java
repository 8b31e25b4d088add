package dev.blobshuffle.kstreams.differential;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Compares the results of two runs, as far as correct runs must agree. */
public final class Comparison {
    private static final int SHOWN = 5;

    private Comparison() {}

    /** The differences as texts; empty if the runs agree. */
    public static List<String> differences(Map<String, Rows> expected, Map<String, Rows> actual) {
        List<String> found = new ArrayList<>();
        Set<String> names = new TreeSet<>(expected.keySet());
        names.addAll(actual.keySet());
        for (String name : names) {
            Rows left = expected.get(name);
            Rows right = actual.get(name);
            if (left == null || right == null) {
                found.add(name + ": only in the " + (left == null ? "actual" : "expected") + " run");
            } else {
                compare(name, left.comparable(), right.comparable(), found);
            }
        }
        return found;
    }

    /**
     * The differences of runs that may repeat records: each key of one run must be in the other.
     */
    public static List<String> missing(Map<String, Rows> expected, Map<String, Rows> actual) {
        List<String> found = new ArrayList<>();
        new TreeMap<>(expected).forEach((name, rows) -> {
            Rows other = actual.get(name);
            Set<String> keys = rows.keys();
            keys.removeAll(other == null ? Set.of() : other.keys());
            if (!keys.isEmpty()) {
                found.add(name + ": " + keys.size() + " keys are missing, such as "
                        + keys.stream().sorted().limit(SHOWN).collect(Collectors.joining("; ")));
            }
        });
        return found;
    }

    private static void compare(String name, Map<?, ?> expected, Map<?, ?> actual, List<String> found) {
        Set<Object> keys = new java.util.HashSet<>(expected.keySet());
        keys.addAll(actual.keySet());
        List<String> different = keys.stream()
                .filter(key -> !Objects.equals(expected.get(key), actual.get(key)))
                .map(key -> key + ": expected " + expected.get(key) + ", was " + actual.get(key))
                .sorted()
                .toList();
        if (!different.isEmpty()) {
            found.add(name + ": " + different.size() + " of " + keys.size() + " differ, such as "
                    + different.stream().limit(SHOWN).collect(Collectors.joining("; ")));
        }
    }

    /**
     * The content of one topic or store at the end of a run.
     *
     * @param agreement what correct runs agree on
     * @param rows the records, in order per partition
     */
    public record Rows(Output.Agreement agreement, List<Row> rows) {
        Map<?, ?> comparable() {
            return switch (agreement) {
                case TABLE -> last(row -> row.value() + " @" + row.timestamp());
                case VALUES -> last(Row::value);
                case MULTISET ->
                    rows.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
                case SEQUENCE ->
                    rows.stream().collect(Collectors.groupingBy(Row::key, LinkedHashMap::new, Collectors.toList()));
            };
        }

        Set<String> keys() {
            return rows.stream().map(row -> String.valueOf(row.key())).collect(Collectors.toCollection(TreeSet::new));
        }

        private Map<String, String> last(Function<Row, String> text) {
            Map<String, String> last = new HashMap<>();
            for (Row row : rows) {
                if (row.value() == null) {
                    last.remove(row.key());
                } else {
                    last.put(row.key(), text.apply(row));
                }
            }
            return last;
        }
    }
}
