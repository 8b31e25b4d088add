package dev.blobshuffle.flight.internal.wire;

import dev.blobshuffle.core.failure.BlobCorruptException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * An encapsulated message of Arrow IPC (Arrow columnar format, "Encapsulated message format"):
 * {@code ff ff ff ff}, the length of the metadata, the metadata, the body. Only the fields that a
 * transport needs are read from the metadata: the kind and the length of the body.
 *
 * @param kind of the message
 * @param metadata the flatbuffer, with its padding
 * @param body the body, with its padding
 */
public record ArrowMessage(Kind kind, ByteBuffer metadata, ByteBuffer body) {
    /** Bytes before the metadata. */
    public static final int PREFIX_LENGTH = 8;

    private static final int CONTINUATION = -1;
    static final int KIND_SLOT = 1;
    static final int BODY_LENGTH_SLOT = 3;

    /** The kinds of messages in a stream. */
    public enum Kind {
        /** The schema. */
        SCHEMA,
        /** Values of a dictionary. */
        DICTIONARY,
        /** Rows. */
        BATCH
    }

    /**
     * Splits bytes into messages, which are slices of the bytes.
     *
     * @param bytes whole messages, from position to limit; the position does not change
     * @param what names the bytes in a failure
     * @throws BlobCorruptException fatal: the bytes are not whole messages
     */
    public static List<ArrowMessage> split(ByteBuffer bytes, String what) {
        ByteBuffer rest = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        List<ArrowMessage> messages = new ArrayList<>(1);
        while (rest.hasRemaining()) {
            messages.add(next(rest, what));
        }
        return messages;
    }

    private static ArrowMessage next(ByteBuffer rest, String what) {
        if (rest.remaining() < PREFIX_LENGTH || rest.getInt() != CONTINUATION) {
            throw corrupt(what, "a message does not start with ff ff ff ff");
        }
        int length = rest.getInt();
        if (length < 8 || length > rest.remaining()) {
            throw corrupt(what, "a message has metadata of " + length + " bytes, and " + rest.remaining() + " follow");
        }
        ByteBuffer metadata = part(rest, length);
        FlatTable table = FlatTable.root(metadata, what);
        long bodyLength = table.number(BODY_LENGTH_SLOT, Long.BYTES);
        if (bodyLength < 0 || bodyLength > rest.remaining()) {
            throw corrupt(
                    what, "a message has a body of " + bodyLength + " bytes, and " + rest.remaining() + " follow");
        }
        return new ArrowMessage(kind(table.number(KIND_SLOT, 1), what), metadata, part(rest, (int) bodyLength));
    }

    /**
     * The kind of a message.
     *
     * @param metadata the flatbuffer
     * @throws BlobCorruptException fatal: it is not a flatbuffer
     */
    public static Kind kind(ByteBuffer metadata, String what) {
        ByteBuffer flatbuffer = metadata.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (flatbuffer.remaining() < 8) {
            throw corrupt(what, "the metadata of a message has " + flatbuffer.remaining() + " bytes");
        }
        return kind(FlatTable.root(flatbuffer, what).number(KIND_SLOT, 1), what);
    }

    static Kind kind(long code, String what) {
        return switch ((int) code) {
            case 1 -> Kind.SCHEMA;
            case 2 -> Kind.DICTIONARY;
            case 3 -> Kind.BATCH;
            default -> throw corrupt(what, "a message has kind " + code);
        };
    }

    private static ByteBuffer part(ByteBuffer rest, int length) {
        ByteBuffer part = rest.slice(rest.position(), length).order(ByteOrder.LITTLE_ENDIAN);
        rest.position(rest.position() + length);
        return part;
    }

    static BlobCorruptException corrupt(String what, String reason) {
        return new BlobCorruptException("Cannot read " + what + ": " + reason
                + ". Its checksum is right, so its writer was faulty; write whole Arrow IPC messages.");
    }
}
