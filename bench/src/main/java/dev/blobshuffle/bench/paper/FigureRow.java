package dev.blobshuffle.bench.paper;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One number of a figure, beside the paper's.
 *
 * @param figure of the paper, 6 to 10
 * @param profile the store's latencies
 * @param layout the layout that was measured
 * @param parameter the varied parameter
 * @param value of the parameter
 * @param metric the metric, with its unit
 * @param paper the paper's number, for its layout; empty: its text has none
 * @param measured the number here
 */
public record FigureRow(
        int figure,
        String profile,
        Layout layout,
        String parameter,
        double value,
        String metric,
        Optional<Double> paper,
        double measured) {
    /** By how much the number here is larger than the paper's, as a share of that. */
    public Optional<Double> deviation() {
        return paper.map(number -> measured / number - 1);
    }

    /** For the JSON. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("figure", figure);
        json.put("profile", profile);
        json.put("layout", layout.label());
        json.put("parameter", parameter);
        json.put("value", value);
        json.put("metric", metric);
        json.put("paper", paper.orElse(null));
        json.put("measured", measured);
        json.put("deviation", deviation().orElse(null));
        return json;
    }
}
