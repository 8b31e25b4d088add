package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.internal.commit.RecordOrigin;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the records that are pending at a commit as values of a store, under their number as the
 * key. Big-endian; a length of -1 stands for null:
 *
 * <pre>
 *   version        1 byte, 1
 *   timestamp      8 bytes
 *   partition      4 bytes
 *   offset         8 bytes
 *   topic          length (4 bytes) and UTF-8
 *   headers        count (4 bytes); of each: key (length and UTF-8), value (length and bytes)
 *   key, value     length and bytes, by the serdes
 *   as read        twice (key, value): 0 not known; 1 the same bytes as above; 2 length and bytes
 * </pre>
 *
 * <p>The original bytes are for the dead letter of a record whose call fails. The format has no
 * checksum, because Kafka's log and fetches have their own. Owned by the stream thread.
 */
final class ArrivalCodec<K, V> {
    private static final byte VERSION = 1;
    private static final byte UNKNOWN = 0;
    private static final byte SAME = 1;
    private static final byte OWN = 2;

    private final String topic;
    private final Serde<K> keys;
    private final Serde<V> values;

    /** @param topic the topic for the serdes: the changelog */
    ArrivalCodec(String topic, Serde<K> keys, Serde<V> values) {
        this.topic = topic;
        this.keys = keys;
        this.values = values;
    }

    byte[] encode(Arrival<K, V> arrival) {
        Record<K, V> record = arrival.record();
        RecordOrigin origin = arrival.origin();
        Headers headers = new RecordHeaders(record.headers().toArray());
        byte[] key = record.key() == null ? null : keys.serializer().serialize(topic, headers, record.key());
        byte[] value = record.value() == null ? null : values.serializer().serialize(topic, headers, record.value());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeLong(record.timestamp());
            out.writeInt(origin.partition());
            out.writeLong(origin.offset());
            write(out, utf8(origin.topic()));
            Header[] all = headers.toArray();
            out.writeInt(all.length);
            for (Header header : all) {
                write(out, utf8(header.key()));
                write(out, header.value());
            }
            write(out, key);
            write(out, value);
            writeAsRead(out, origin.key(), key);
            writeAsRead(out, origin.value(), value);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // Only memory is written.
        }
        return bytes.toByteArray();
    }

    private static void writeAsRead(DataOutputStream out, byte @Nullable [] read, byte @Nullable [] written)
            throws IOException {
        if (read == null) {
            out.writeByte(UNKNOWN);
        } else if (Arrays.equals(read, written)) {
            out.writeByte(SAME);
        } else {
            out.writeByte(OWN);
            write(out, read);
        }
    }

    private static void write(DataOutputStream out, byte @Nullable [] bytes) throws IOException {
        out.writeInt(bytes == null ? -1 : bytes.length);
        if (bytes != null) {
            out.write(bytes);
        }
    }

    /**
     * Decodes the output of {@link #encode}.
     *
     * @throws StreamsException fatal: the bytes have another format, or the serdes cannot read
     *     theirs
     */
    @SuppressWarnings("NullAway") // Keys and values are null where they came so.
    Arrival<K, V> decode(long number, byte[] bytes) {
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            byte version = in.get();
            if (version != VERSION) {
                throw unreadable(number, "it has version " + version + ", and this one reads " + VERSION, null);
            }
            long timestamp = in.getLong();
            if (timestamp < 0) {
                throw new IllegalArgumentException("The timestamp is negative.");
            }
            int partition = in.getInt();
            long offset = in.getLong();
            String from = text(in);
            Headers headers = headers(in);
            byte[] key = read(in);
            byte[] value = read(in);
            byte[] keyAsRead = readAsRead(in, key);
            byte[] valueAsRead = readAsRead(in, value);
            if (in.hasRemaining()) {
                throw unreadable(number, in.remaining() + " bytes are left", null);
            }
            Record<K, V> record = new Record<>(
                    key == null ? null : keys.deserializer().deserialize(topic, headers, key),
                    value == null ? null : values.deserializer().deserialize(topic, headers, value),
                    timestamp,
                    headers);
            return Arrival.of(record, new RecordOrigin(from, partition, offset, keyAsRead, valueAsRead), number);
        } catch (BufferUnderflowException | IllegalArgumentException | SerializationException e) {
            throw unreadable(number, "its bytes make no sense", e);
        }
    }

    private StreamsException unreadable(long number, String why, @Nullable Throwable cause) {
        return new StreamsException(
                "Cannot call the function for record " + number + ", which was pending at the last commit: " + why
                        + ". Start with the serdes and the version that wrote " + topic
                        + ", or reset the application and lose what is pending.",
                cause);
    }

    private static Headers headers(ByteBuffer in) {
        RecordHeaders headers = new RecordHeaders();
        for (int left = in.getInt(); left > 0; left--) {
            String key = text(in);
            if (key == null) {
                throw new IllegalArgumentException("A header has no key.");
            }
            headers.add(key, read(in));
        }
        return headers;
    }

    private static byte @Nullable [] readAsRead(ByteBuffer in, byte @Nullable [] written) {
        byte kind = in.get();
        return switch (kind) {
            case UNKNOWN -> null;
            case SAME -> written;
            case OWN -> read(in);
            default -> throw new IllegalArgumentException("There is no kind " + kind + " of bytes.");
        };
    }

    private static byte @Nullable [] read(ByteBuffer in) {
        int length = in.getInt();
        if (length == -1) {
            return null;
        }
        if (length < 0 || length > in.remaining()) {
            throw new IllegalArgumentException("A length is " + length + " of " + in.remaining() + " bytes.");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private static @Nullable String text(ByteBuffer in) {
        byte[] bytes = read(in);
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte @Nullable [] utf8(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }
}
