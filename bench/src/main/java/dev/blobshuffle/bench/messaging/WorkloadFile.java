package dev.blobshuffle.bench.messaging;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads workload files of the OpenMessaging Benchmark: YAML, one {@code key: value} per line. Times
 * in minutes may be fractions here. Stateless.
 */
public final class WorkloadFile {
    private static final Set<String> KEYS = Set.of(
            "name",
            "topics",
            "partitionsPerTopic",
            "keyDistributor",
            "messageSize",
            "payloadFile",
            "useRandomizedPayloads",
            "randomBytesRatio",
            "randomizedPayloadPoolSize",
            "subscriptionsPerTopic",
            "producersPerTopic",
            "consumerPerSubscription",
            "producerRate",
            "consumerBacklogSizeGB",
            "backlogDrainRatio",
            "testDurationMinutes",
            "warmupDurationMinutes");

    private static final String KEYED = "KEY_ROUND_ROBIN";
    private static final double MILLIS_PER_MINUTE = 60_000;

    private final String source;
    private final Map<String, String> values;

    private WorkloadFile(String source, Map<String, String> values) {
        this.source = source;
        this.values = values;
    }

    /**
     * Reads a file.
     *
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if it is not a workload, or one that cannot run here; the
     *     message names the remedy
     */
    public static Workload read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException(
                    "Cannot read workload " + file + ": there is no such file. Name a YAML file.");
        }
        return parse(file.toString(), Files.readAllLines(file, StandardCharsets.UTF_8));
    }

    /**
     * Reads lines, as {@link #read}.
     *
     * @param source their origin, for messages
     */
    static Workload parse(String source, List<String> lines) {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = withoutComment(lines.get(i));
            if (line.isBlank() || line.equals("---")) {
                continue;
            }
            int colon = line.indexOf(':');
            if (colon < 1 || Character.isWhitespace(line.charAt(0)) || line.startsWith("-")) {
                throw failure(source, "line " + (i + 1) + " is not 'key: value'. Write one key per line, not indented");
            }
            String key = line.substring(0, colon).strip();
            if (!KEYS.contains(key)) {
                throw failure(source, "key '" + key + "' is unknown. Known keys: " + new TreeSet<>(KEYS));
            }
            if (values.put(key, unquoted(line.substring(colon + 1).strip())) != null) {
                throw failure(source, "key '" + key + "' is there twice. Leave one");
            }
        }
        if (values.isEmpty()) {
            throw failure(source, "it is empty. Give at least topics, partitionsPerTopic and testDurationMinutes");
        }
        return new WorkloadFile(source, values).workload();
    }

    /** The lines that {@link #parse} reads. */
    static List<String> format(Workload workload) {
        return List.of(
                "name: " + workload.name(),
                "topics: " + workload.topics(),
                "partitionsPerTopic: " + workload.partitions(),
                "keyDistributor: " + KEYED,
                "messageSize: " + workload.messageSize(),
                "useRandomizedPayloads: true",
                "randomBytesRatio: " + workload.randomRatio(),
                "randomizedPayloadPoolSize: " + workload.payloads(),
                "subscriptionsPerTopic: " + workload.subscriptions(),
                "producersPerTopic: " + workload.producers(),
                "consumerPerSubscription: " + workload.consumers(),
                "producerRate: " + workload.rate(),
                "warmupDurationMinutes: " + workload.warmUp().toMillis() / MILLIS_PER_MINUTE,
                "testDurationMinutes: " + workload.measured().toMillis() / MILLIS_PER_MINUTE);
    }

    private static String withoutComment(String line) {
        int comment = line.startsWith("#") ? 0 : line.indexOf(" #");
        return comment < 0 ? line : line.substring(0, comment);
    }

    private static String unquoted(String value) {
        boolean isQuoted = value.length() > 1
                && (value.charAt(0) == '"' || value.charAt(0) == '\'')
                && value.charAt(value.length() - 1) == value.charAt(0);
        return isQuoted ? value.substring(1, value.length() - 1) : value;
    }

    private Workload workload() {
        String keys = values.getOrDefault("keyDistributor", "NO_KEY");
        if (!keys.equals(KEYED)) {
            throw failure(source, "keyDistributor is " + keys + ", and order is checked by key. Set it to " + KEYED);
        }
        if (!values.getOrDefault("payloadFile", "").isEmpty()) {
            throw failure(source, "payloadFile is not supported. Leave it out and set useRandomizedPayloads: true");
        }
        if (number("consumerBacklogSizeGB", "0") != 0) {
            throw failure(source, "a backlog is not supported. Set consumerBacklogSizeGB: 0");
        }
        boolean isRandom = Boolean.parseBoolean(values.getOrDefault("useRandomizedPayloads", "false"));
        try {
            return new Workload(
                    values.getOrDefault("name", source),
                    integer("topics"),
                    integer("partitionsPerTopic"),
                    integer("messageSize"),
                    isRandom ? number("randomBytesRatio", "0") : 0,
                    isRandom ? integer("randomizedPayloadPoolSize") : 1,
                    integer("subscriptionsPerTopic"),
                    integer("producersPerTopic"),
                    integer("consumerPerSubscription"),
                    integer("producerRate"),
                    minutes("warmupDurationMinutes", "1"),
                    minutes("testDurationMinutes", ""));
        } catch (IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            throw new IllegalArgumentException(
                    message.contains(source) ? message : message + " The workload is " + source + ".", e);
        }
    }

    private int integer(String key) {
        double number = number(key, "");
        if (number != Math.rint(number) || Math.abs(number) > Integer.MAX_VALUE) {
            throw failure(source, key + " is '" + values.get(key) + "'. Give a whole number");
        }
        return (int) number;
    }

    private Duration minutes(String key, String usual) {
        return Duration.ofMillis(Math.round(number(key, usual) * MILLIS_PER_MINUTE));
    }

    private double number(String key, String usual) {
        String text = values.getOrDefault(key, usual);
        if (text.isEmpty()) {
            throw failure(source, key + " is missing. Add it");
        }
        try {
            double number = Double.parseDouble(text);
            if (Double.isFinite(number)) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "Cannot read workload " + source + ": " + key + " is '" + text + "'. Give a number.", e);
        }
        throw failure(source, key + " is '" + text + "'. Give a number");
    }

    private static IllegalArgumentException failure(String source, String reason) {
        return new IllegalArgumentException("Cannot read workload " + source + ": " + reason + ".");
    }
}
