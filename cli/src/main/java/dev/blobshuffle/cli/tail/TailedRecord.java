package dev.blobshuffle.cli.tail;

import dev.blobshuffle.cli.messaging.ShownData;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One record of a shuffled topic, as applications see it.
 *
 * @param partition its partition
 * @param real real offset of its notification, or its own
 * @param index its index in the segment
 * @param count records of the segment
 * @param notification of its segment; empty for a plain record
 * @param timestamp milliseconds since the Unix epoch
 * @param key its key; null if it has none
 * @param value its value; null if it has none
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record TailedRecord(
        int partition,
        long real,
        int index,
        int count,
        Optional<Notification> notification,
        long timestamp,
        byte @Nullable [] key,
        byte @Nullable [] value) {
    /** The format in which the user requested keys and values. */
    record Shape(boolean hasData, Serde keys, Serde values, int longest) {
        String part(byte @Nullable [] bytes, Serde serde) {
            if (bytes == null) {
                return "null";
            }
            if (!hasData) {
                return bytes.length + " B";
            }
            String text = serde.text(bytes);
            return bytes.length + " B "
                    + (text.codePointCount(0, text.length()) <= longest
                            ? text
                            : text.substring(0, text.offsetByCodePoints(0, longest)) + "…");
        }
    }

    /** The offset that applications see. */
    long virtual() {
        return VirtualOffset.ofRecord(real, index, count);
    }

    String line(Shape shape) {
        return partition + "  offset " + real + "  position " + virtual() + "  " + Instant.ofEpochMilli(timestamp)
                + "  key " + shape.part(key, shape.keys()) + ", value " + shape.part(value, shape.values())
                + notification
                        .map(found -> "  blob " + found.blob() + " record " + (index + 1) + "/" + count)
                        .orElse("  plain");
    }

    Map<String, @Nullable Object> json(Shape shape) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("partition", partition);
        json.put("offset", real);
        json.put("virtual_offset", virtual());
        json.put("timestamp_ms", timestamp);
        json.put("key_bytes", key == null ? null : key.length);
        json.put("value_bytes", value == null ? null : value.length);
        json.put("blob", notification.map(found -> found.blob().toString()).orElse(null));
        json.put("index", notification.map(found -> index).orElse(null));
        if (shape.hasData()) {
            put(json, "key", key, shape.keys());
            put(json, "value", value, shape.values());
        }
        return json;
    }

    private static void put(Map<String, @Nullable Object> json, String name, byte @Nullable [] bytes, Serde serde) {
        if (serde == Serde.STRING || bytes == null) {
            ShownData.put(json, name, bytes);
        } else {
            json.put(name, serde.text(bytes));
        }
    }
}
