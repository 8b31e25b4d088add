package dev.blobshuffle.bench.report;

import dev.blobshuffle.bench.run.RunResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Results as CSV, a line per run. The columns are the numbers of the JSON form; names of nested
 * numbers are joined by dots. Stateless.
 */
public final class ResultCsv {
    private ResultCsv() {}

    /** The text, with a header. */
    public static String of(List<RunResult> runs) {
        List<Map<String, String>> rows = new ArrayList<>();
        LinkedHashSet<String> columns = new LinkedHashSet<>();
        for (RunResult run : runs) {
            Map<String, String> row = new LinkedHashMap<>();
            flatten("", run.asJson(), row);
            columns.addAll(row.keySet());
            rows.add(row);
        }
        StringBuilder text = new StringBuilder();
        text.append(String.join(",", columns)).append('\n');
        for (Map<String, String> row : rows) {
            text.append(columns.stream()
                            .map(column -> quoted(row.getOrDefault(column, "")))
                            .collect(Collectors.joining(",")))
                    .append('\n');
        }
        return text.toString();
    }

    private static void flatten(String prefix, Map<?, ?> json, Map<String, String> row) {
        json.forEach((name, value) -> {
            if (name.equals(RunResult.HISTOGRAMS)) {
                return; // kilobytes of text that no spreadsheet can read
            }
            if (value instanceof Map<?, ?> nested) {
                flatten(prefix + name + ".", nested, row);
            } else if (value != null) {
                row.put(prefix + name, value.toString());
            }
        });
    }

    private static String quoted(String value) {
        return value.matches("[^\",\n]*") ? value : "\"" + value.replace("\"", "\"\"") + "\"";
    }
}
