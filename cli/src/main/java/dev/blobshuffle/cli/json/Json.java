package dev.blobshuffle.cli.json;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON: maps (in their order) as objects, lists as arrays, text, numbers, booleans and null,
 * indented by two spaces. Numbers that are not finite become null. Stateless.
 */
public final class Json {
    /** A depth that never reaches 0. */
    private static final int ON_ONE_LINE = Integer.MIN_VALUE;

    private Json() {}

    /**
     * The JSON text of a value, with a final line end.
     *
     * @throws IllegalArgumentException if it contains a value of another type than those above
     */
    public static String write(Object value) {
        StringBuilder text = new StringBuilder();
        append(text, value, 0);
        return text.append('\n').toString();
    }

    /**
     * The JSON text of a value on one line, for a stream of values.
     *
     * @throws IllegalArgumentException like {@link #write}
     */
    public static String line(Object value) {
        StringBuilder text = new StringBuilder();
        append(text, value, ON_ONE_LINE);
        return text.append('\n').toString();
    }

    private static void append(StringBuilder text, @Nullable Object value, int depth) {
        if (value instanceof Map<?, ?> map) {
            appendMap(text, map, depth);
        } else if (value instanceof List<?> list) {
            appendList(text, list, depth);
        } else if (value instanceof String string) {
            appendString(text, string);
        } else if (value instanceof Double number) {
            text.append(Double.isFinite(number) ? decimal(number) : "null");
        } else if (value == null || value instanceof Boolean || value instanceof Number) {
            text.append(value);
        } else {
            throw new IllegalArgumentException("Cannot write " + value.getClass() + " as JSON. Convert it to text.");
        }
    }

    private static void appendMap(StringBuilder text, Map<?, ?> map, int depth) {
        text.append('{');
        Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<?, ?> entry = entries.next();
            newLine(text, depth + 1);
            appendString(text, String.valueOf(entry.getKey()));
            text.append(": ");
            append(text, entry.getValue(), depth + 1);
            text.append(entries.hasNext() ? "," : "");
        }
        if (!map.isEmpty()) {
            newLine(text, depth);
        }
        text.append('}');
    }

    private static void appendList(StringBuilder text, List<?> list, int depth) {
        text.append('[');
        for (int i = 0; i < list.size(); i++) {
            newLine(text, depth + 1);
            append(text, list.get(i), depth + 1);
            text.append(i + 1 < list.size() ? "," : "");
        }
        if (!list.isEmpty()) {
            newLine(text, depth);
        }
        text.append(']');
    }

    private static void newLine(StringBuilder text, int depth) {
        if (depth >= 0) {
            text.append('\n').append("  ".repeat(depth));
        }
    }

    /**
     * Formats with at most three decimals, without trailing zeros: milliseconds to the microsecond.
     * Numbers below 1, such as ratios, have up to six.
     */
    private static String decimal(double number) {
        String format = Math.abs(number) < 1 ? "%.6f" : "%.3f";
        return String.format(Locale.ROOT, format, number).replaceAll("\\.?0+$", "");
    }

    private static void appendString(StringBuilder text, String string) {
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
