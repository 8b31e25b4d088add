package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.messaging.Header;
import dev.blobshuffle.messaging.OutgoingRecord;
import dev.blobshuffle.messaging.ReceivedRecord;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A published record, and its place. */
final class ModelRecord {
    /** Any partition. */
    static final int ANY = -1;

    final int number;
    private final byte @Nullable [] key;
    private final byte @Nullable [] value;
    private final List<Header> headers;
    final OptionalLong timestamp;
    private final long published = System.currentTimeMillis();
    int partition = ANY;
    long position;

    ModelRecord(int number, OutgoingRecord<byte[], byte[]> record) {
        this(number, record.key(), record.value(), record.headers(), record.timestamp());
    }

    ModelRecord(
            int number, byte @Nullable [] key, byte @Nullable [] value, List<Header> headers, OptionalLong timestamp) {
        this.number = number;
        this.key = key;
        this.value = value;
        this.headers = headers;
        this.timestamp = timestamp;
    }

    /** The difference of a received record; empty: none. */
    String difference(ReceivedRecord<byte[], byte[]> received) {
        if (received.position() != position) {
            return "position " + received.position() + " instead of " + position;
        } else if (!Arrays.equals(received.key(), key)) {
            return "key " + text(received.key()) + " instead of " + text(key);
        } else if (!Arrays.equals(received.value(), value)) {
            return "value " + text(received.value()) + " instead of " + text(value);
        } else if (!text(received.headers()).equals(text(headers))) {
            return "headers " + text(received.headers()) + " instead of " + text(headers);
        }
        boolean isNow = timestamp.isEmpty() && Math.abs(received.timestamp() - published) < 600_000;
        return isNow || timestamp.equals(OptionalLong.of(received.timestamp()))
                ? ""
                : "timestamp " + received.timestamp() + " instead of " + timestamp;
    }

    private static String text(List<Header> headers) {
        return headers.stream()
                .map(each -> each.name() + "=" + text(each.value()))
                .toList()
                .toString();
    }

    private static String text(byte @Nullable [] bytes) {
        if (bytes == null) {
            return "null";
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        return bytes.length + " bytes '" + text.substring(0, Math.min(40, text.length())) + "'"
                + Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "#" + number;
    }
}
