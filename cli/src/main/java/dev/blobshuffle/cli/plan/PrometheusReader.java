package dev.blobshuffle.cli.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the Prometheus text format, version 0.0.4, from endpoints and from a federating
 * Prometheus. Stateless.
 */
final class PrometheusReader {
    private static final String NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
    private static final String LABEL = "([a-zA-Z_][a-zA-Z0-9_]*)\\s*=\\s*\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"\\s*";
    private static final Pattern SAMPLE = Pattern.compile(
            "(" + NAME + ")\\s*(?:\\{(\\s*(?:" + LABEL + "(?:,\\s*|(?=})))*+)})?\\s*(\\S+)(?:\\s+-?\\d+)?\\s*");
    private static final int LONGEST = 8192;
    private static final Pattern LABELS = Pattern.compile(LABEL);

    private PrometheusReader() {}

    /**
     * One line of the text.
     *
     * @param name the metric
     * @param labels value by name
     * @param value its value; may be NaN
     */
    record Sample(String name, Map<String, String> labels, double value) {}

    /**
     * All samples in their order.
     *
     * @throws IllegalArgumentException if a line is neither a comment nor a sample; the message
     *     only contains its number, because the text may be of any kind
     */
    static List<Sample> read(String text) {
        List<Sample> samples = new ArrayList<>();
        int number = 0;
        for (String line : text.split("\r?\n")) {
            number++;
            if (!line.isBlank() && !line.startsWith("#")) {
                samples.add(sample(line.strip(), number));
            }
        }
        return samples;
    }

    private static Sample sample(String line, int number) {
        Matcher sample = SAMPLE.matcher(line);
        if (line.length() > LONGEST || !sample.matches()) {
            throw new IllegalArgumentException("line " + number + " is not a sample");
        }
        Map<String, String> labels = new LinkedHashMap<>();
        if (sample.group(2) != null) {
            Matcher label = LABELS.matcher(sample.group(2));
            while (label.find()) {
                labels.put(label.group(1), unescaped(label.group(2)));
            }
        }
        return new Sample(sample.group(1), labels, value(sample.group(5), number));
    }

    private static String unescaped(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (character == '\\' && i + 1 < text.length()) {
                char escaped = text.charAt(++i);
                plain.append(escaped == 'n' ? '\n' : escaped);
            } else {
                plain.append(character);
            }
        }
        return plain.toString();
    }

    private static double value(String text, int number) {
        switch (text) {
            case "+Inf", "Inf":
                return Double.POSITIVE_INFINITY;
            case "-Inf":
                return Double.NEGATIVE_INFINITY;
            default:
                try {
                    return Double.parseDouble(text);
                } catch (NumberFormatException e) {
                    throw new IllegalArgumentException("line " + number + " has no number as its value", e);
                }
        }
    }
}
