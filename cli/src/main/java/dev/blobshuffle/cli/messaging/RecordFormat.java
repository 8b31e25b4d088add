package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.messaging.Header;
import dev.blobshuffle.messaging.ReceivedRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The output format of a record: a text with placeholders for its parts. Immutable. */
final class RecordFormat {
    private static final Map<Character, Function<ReceivedRecord<byte[], byte[]>, String>> PARTS = Map.of(
            'k', record -> ShownData.text(record.key()),
            'v', record -> ShownData.text(record.value()),
            't', record -> Shown.text(record.topic()),
            'p', record -> String.valueOf(record.partition()),
            'o', record -> String.valueOf(record.position()),
            'T', record -> String.valueOf(record.timestamp()),
            'h', RecordFormat::headers,
            '%', record -> "%");

    private final List<Function<ReceivedRecord<byte[], byte[]>, String>> parts = new ArrayList<>();

    /**
     * Parses a format.
     *
     * @throws InvalidSettingsException it has an unknown placeholder
     */
    RecordFormat(String format) {
        StringBuilder literal = new StringBuilder();
        for (int i = 0; i < format.length(); i++) {
            char letter = format.charAt(i);
            char next = i + 1 < format.length() ? format.charAt(i + 1) : ' ';
            if (letter == '\\' && (next == 't' || next == 'n' || next == '\\')) {
                literal.append(next == 't' ? '\t' : next == 'n' ? '\n' : '\\');
                i++;
            } else if (letter == '%') {
                Function<ReceivedRecord<byte[], byte[]>, String> part = PARTS.get(next);
                if (part == null) {
                    throw new InvalidSettingsException("Cannot use --format '" + format + "': it has no part %" + next
                            + ". Use %k, %v, %t, %p, %o, %T, %h or %%.");
                }
                add(literal);
                parts.add(part);
                i++;
            } else {
                literal.append(letter);
            }
        }
        add(literal);
    }

    private void add(StringBuilder literal) {
        if (literal.length() > 0) {
            String text = literal.toString();
            parts.add(record -> text);
            literal.setLength(0);
        }
    }

    private static String headers(ReceivedRecord<byte[], byte[]> record) {
        return record.headers().stream()
                .map(header -> Shown.text(header.name()) + "=" + ShownData.text(header.value()))
                .collect(Collectors.joining(","));
    }

    /** A record as a line of text. */
    String line(ReceivedRecord<byte[], byte[]> record) {
        StringBuilder line = new StringBuilder();
        parts.forEach(part -> line.append(part.apply(record)));
        return line.append('\n').toString();
    }

    /** A record as a JSON object. */
    static Map<String, @Nullable Object> json(ReceivedRecord<byte[], byte[]> record) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("topic", record.topic());
        json.put("partition", record.partition());
        json.put("position", record.position());
        json.put("timestamp_ms", record.timestamp());
        ShownData.put(json, "key", record.key());
        ShownData.put(json, "value", record.value());
        List<Map<String, @Nullable Object>> headers = new ArrayList<>();
        for (Header header : record.headers()) {
            Map<String, @Nullable Object> shown = new LinkedHashMap<>();
            shown.put("name", header.name());
            ShownData.put(shown, "value", header.value());
            headers.add(shown);
        }
        json.put("headers", headers);
        return json;
    }
}
