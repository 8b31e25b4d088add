package dev.blobshuffle.core.internal.format;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages of an Arrow IPC stream. Its framing (Arrow columnar format, "Encapsulated message
 * format") is: the marker {@code ff ff ff ff}, 4 bytes length of the metadata, the metadata (a
 * Flatbuffer {@code Message}), and the body, whose length the metadata states. A marker with length
 * 0 ends the stream.
 *
 * @param messages the messages, in the order of the stream
 * @param end offset after the end-of-stream marker
 */
record ArrowMessages(List<Message> messages, int end) {
    /** The types of messages that a stream has, by their numbers in Flatbuffers. */
    enum Type {
        NONE,
        SCHEMA,
        DICTIONARY_BATCH,
        RECORD_BATCH
    }

    /**
     * One message.
     *
     * @param bytes marker, length, metadata and body
     * @param rows the rows of a record batch; 0 for other messages
     */
    record Message(Type type, ByteBuffer bytes, long rows) {}

    private static final int MARKER = -1;
    private static final int PREFIX = 8;

    /** Parses a stream up to its end-of-stream marker. Fails if there is none. */
    static ArrowMessages of(ByteBuffer stream) {
        ByteBuffer bytes = stream.slice().order(ByteOrder.LITTLE_ENDIAN);
        List<Message> messages = new ArrayList<>();
        int at = 0;
        while (true) {
            if (at % 8 != 0 || bytes.getInt(at) != MARKER) {
                throw new AssertionError("No message starts at " + at + ".");
            }
            int metadata = bytes.getInt(at + 4);
            if (metadata == 0) {
                return new ArrowMessages(messages, at + PREFIX);
            }
            Message message = message(bytes, at, metadata);
            messages.add(message);
            at += message.bytes().remaining();
        }
    }

    private static Message message(ByteBuffer bytes, int start, int metadata) {
        int table = start + PREFIX + bytes.getInt(start + PREFIX);
        Type type = Type.values()[bytes.get(field(bytes, table, 1))];
        int header = field(bytes, table, 2);
        header += bytes.getInt(header);
        int bodyField = field(bytes, table, 3);
        int body = bodyField == 0 ? 0 : Math.toIntExact(bytes.getLong(bodyField));
        long rows = 0;
        if (type == Type.RECORD_BATCH) {
            int length = field(bytes, header, 0);
            rows = length == 0 ? 0 : bytes.getLong(length);
        }
        return new Message(type, bytes.slice(start, PREFIX + metadata + body), rows);
    }

    /** Offset of a field of a Flatbuffer table, by its index; 0 if it has the default value. */
    private static int field(ByteBuffer bytes, int table, int index) {
        int fields = table - bytes.getInt(table);
        int at = 4 + 2 * index;
        int offset = at < bytes.getShort(fields) ? bytes.getShort(fields + at) : 0;
        return offset == 0 ? 0 : table + offset;
    }

    /** The messages of {@code arrow/table.arrows}, which pyarrow wrote. */
    static ArrowMessages example() {
        try (InputStream stream = ArrowMessages.class.getResourceAsStream("/arrow/table.arrows")) {
            return of(ByteBuffer.wrap(stream.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<Type> types() {
        return messages.stream().map(Message::type).toList();
    }
}
