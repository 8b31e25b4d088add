package dev.blobshuffle.bench.evidence;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A comment that ties a table or the numbers of a text to results.
 *
 * <pre>
 * &lt;!-- table: FILE.json                     &lt;!-- numbers: FILE.json
 * let NAME = TEXT                            0.15 = EXPRESSION
 * rows: TEXT | TEXT …                        0.40 0.45 = EXPRESSION
 * columns: - | EXPRESSION | …                --&gt;
 * cell ROW COLUMN = EXPRESSION
 * --&gt;                                        &lt;!-- stated: 0.2 4: REASON --&gt;
 *                                            &lt;!-- no results: REASON --&gt;
 * </pre>
 *
 * <p>The expression of a cell is the text of its column, in which {@code {row}} stands for that of
 * its row. If {@code {column}} occurs anywhere it is the other way round. {@code {NAME}} stands for
 * the text of a {@code let}. A hyphen ties nothing.
 *
 * @param kind the word before the first colon
 * @param head the text after it
 * @param lines the other lines
 */
record Tie(String kind, String head, List<String> lines) {
    private static final int NESTED = 6;

    Tie {
        lines = List.copyOf(lines);
    }

    static Tie of(Part comment) {
        List<String> lines = new ArrayList<>();
        for (String line : comment.lines()) {
            boolean isContinued = !lines.isEmpty() && line.startsWith("  ");
            if (isContinued) {
                lines.set(lines.size() - 1, lines.get(lines.size() - 1) + " " + line.strip());
            } else {
                lines.add(line.strip());
            }
        }
        String first = lines.get(0);
        int colon = first.indexOf(':');
        return colon < 0
                ? new Tie(first, "", List.of())
                : new Tie(
                        first.substring(0, colon).strip(),
                        first.substring(colon + 1).strip(),
                        lines.subList(1, lines.size()));
    }

    private Map<String, String> names() {
        Map<String, String> names = new HashMap<>();
        for (String line : lines) {
            if (line.startsWith("let ")) {
                int equals = line.indexOf('=');
                names.put(
                        line.substring(4, equals).strip(),
                        line.substring(equals + 1).strip());
            }
        }
        return names;
    }

    private static String filled(String text, Map<String, String> names) {
        String filled = text;
        for (int depth = 0; depth < NESTED && filled.contains("{"); depth++) {
            for (Map.Entry<String, String> name : names.entrySet()) {
                filled = filled.replace("{" + name.getKey() + "}", name.getValue());
            }
        }
        return filled;
    }

    private List<String> listed(String word) {
        return lines.stream()
                .filter(line -> line.startsWith(word))
                .flatMap(line -> List.of(line.substring(word.length()).split("\\|", -1)).stream())
                .map(String::strip)
                .toList();
    }

    /** A row and a column of a table, both from 0. */
    record Cell(int row, int column) {}

    /** The expressions of a table's cells. */
    Map<Cell, String> cells() {
        Map<Cell, String> cells = new LinkedHashMap<>();
        List<String> rows = listed("rows:");
        List<String> columns = listed("columns:");
        boolean isByRow = lines.stream().anyMatch(line -> line.contains("{column}"));
        for (int row = 0; row < rows.size(); row++) {
            for (int column = 0; column < columns.size(); column++) {
                Map<String, String> names = names();
                names.put("row", rows.get(row));
                names.put("column", columns.get(column));
                String cell = isByRow ? rows.get(row) : columns.get(column);
                if (!rows.get(row).equals("-") && !columns.get(column).equals("-")) {
                    cells.put(new Cell(row, column), filled(cell, names));
                }
            }
        }
        lines.stream().filter(line -> line.startsWith("cell ")).forEach(line -> {
            String[] words = line.substring(0, line.indexOf('=')).split(" ");
            Cell cell = new Cell(Integer.parseInt(words[1]) - 1, Integer.parseInt(words[2]) - 1);
            String expression = line.substring(line.indexOf('=') + 1).strip();
            if (expression.equals("-")) {
                cells.remove(cell);
            } else {
                cells.put(cell, filled(expression, names()));
            }
        });
        return cells;
    }

    /** The expressions of the numbers of a text, by the numbers as printed. */
    Map<String, String> numbers() {
        Map<String, String> numbers = new LinkedHashMap<>();
        for (String line : lines) {
            int equals = line.indexOf('=');
            if (!line.startsWith("let ") && equals > 0) {
                numbers.put(
                        line.substring(0, equals).strip(),
                        filled(line.substring(equals + 1).strip(), names()));
            }
        }
        return numbers;
    }
}
