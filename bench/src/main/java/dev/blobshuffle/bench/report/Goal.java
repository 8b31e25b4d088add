package dev.blobshuffle.bench.report;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A goal of a benchmark.
 *
 * @param what the name of the number
 * @param number the measured number
 * @param isLeast whether the limit is a lower bound; otherwise it is an upper bound
 * @param limit of the number
 */
public record Goal(String what, double number, boolean isLeast, double limit) {
    private static final double HUNDREDTHS_BELOW = 2;

    /** Whether the number is within the limit. */
    public boolean isMet() {
        return isLeast ? number >= limit : number <= limit;
    }

    /** The goal as a line of text. */
    public String line() {
        return String.format(
                Locale.ROOT,
                limit < HUNDREDTHS_BELOW ? "%-6s %s: %.2f, goal %s %.2f" : "%-6s %s: %.1f, goal %s %.1f",
                isMet() ? "met" : "MISSED",
                what,
                number,
                isLeast ? "at least" : "at most",
                limit);
    }

    /** {@code what}, {@code number}, {@code at_least} or {@code at_most}, and {@code met}. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("what", what);
        json.put("number", number);
        json.put(isLeast ? "at_least" : "at_most", limit);
        json.put("met", isMet());
        return json;
    }
}
