package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One combination of values in a sweep.
 *
 * @param varied the values that distinguish it from other cells, by name; empty if there is only
 *     one cell
 * @param parameters all parameters
 */
public record Cell(Map<String, String> varied, Parameters parameters) {
    private static final String UNLIMITED = "as fast as possible";

    /** Copies the map. */
    public Cell {
        varied = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(varied));
    }

    /** The only cell of a plan without a sweep. */
    public static Cell only(Parameters parameters) {
        return new Cell(Map.of(), parameters);
    }

    /**
     * Every combination of values.
     *
     * @param base the parameters that are not varied
     * @param varied the values of each name, in order
     * @throws IllegalArgumentException if there is no such name, or it cannot have such a value
     */
    public static List<Cell> all(Parameters base, Map<String, List<String>> varied) {
        List<Cell> cells = List.of(only(base));
        for (Map.Entry<String, List<String>> dimension : varied.entrySet()) {
            List<Cell> next = new ArrayList<>();
            for (Cell cell : cells) {
                for (String value : dimension.getValue()) {
                    Map<String, String> own = new LinkedHashMap<>(cell.varied);
                    own.put(dimension.getKey(), value);
                    next.add(new Cell(own, cell.parameters.with(dimension.getKey(), value)));
                }
            }
            cells = next;
        }
        return cells;
    }

    /**
     * The varied values for output: {@code instances=2, batch-size=1 MiB}; empty for the only cell.
     */
    public String label() {
        List<String> words = new ArrayList<>();
        varied.forEach((name, value) -> words.add(isUnlimited(name, value) ? UNLIMITED : name + "=" + value));
        return String.join(", ", words);
    }

    /** The varied values without their names, for output. */
    public String values() {
        List<String> words = new ArrayList<>();
        varied.forEach((name, value) -> words.add(isUnlimited(name, value) ? UNLIMITED : value));
        return String.join(", ", words);
    }

    private static boolean isUnlimited(String name, String value) {
        return name.equals(Parameter.RATE.label()) && value.equals("0");
    }
}
