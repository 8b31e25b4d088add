package dev.blobshuffle.cli.inspect;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One record of a blob.
 *
 * @param segment index of its segment in the blob
 * @param index its index in the segment
 * @param timestamp milliseconds since the Unix epoch
 * @param headers number of its headers
 * @param key its key; null if it has none
 * @param value its value; null if it has none
 */
record InspectedRecord(
        int segment, int index, long timestamp, int headers, byte @Nullable [] key, byte @Nullable [] value) {
    String line(boolean showData) {
        return "segment " + segment + " record " + index + "  " + Instant.ofEpochMilli(timestamp) + "  key "
                + part(key, showData) + ", value " + part(value, showData) + ", headers " + headers;
    }

    private static String part(byte @Nullable [] bytes, boolean showData) {
        if (bytes == null) {
            return "null";
        }
        return bytes.length + " bytes" + (showData ? " \"" + text(bytes) + "\"" : "");
    }

    /** Decodes UTF-8, and replaces control characters by dots. */
    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", ".");
    }

    Map<String, @Nullable Object> toJson(boolean showData) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("segment", segment);
        json.put("index", index);
        json.put("timestamp_ms", timestamp);
        json.put("key_bytes", key == null ? null : key.length);
        json.put("value_bytes", value == null ? null : value.length);
        json.put("headers", headers);
        if (showData) {
            json.put("key", key == null ? null : text(key));
            json.put("value", value == null ? null : text(value));
        }
        return json;
    }
}
