package dev.blobshuffle.flight.internal.wire;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.flight.internal.wire.ArrowMessage.Kind;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/**
 * The fields of an Arrow IPC message's metadata that a daemon needs to store the message.
 *
 * @param kind of the message
 * @param bodyLength length of the body, bytes
 * @param rows of a record batch; 0 for others
 * @param dictionary id of a dictionary; empty for others
 */
public record ArrowHeader(Kind kind, long bodyLength, long rows, OptionalLong dictionary) {
    private static final int CONTENT_SLOT = 2;
    private static final int ROWS_SLOT = 0;
    private static final int DICTIONARY_ID_SLOT = 0;
    private static final int IS_DELTA_SLOT = 2;

    /**
     * Parses the metadata of a client's message. Total.
     *
     * @param metadata the flatbuffer
     * @throws IllegalArgumentException it is not a flatbuffer, or has a value that no message may
     *     have
     */
    public static ArrowHeader read(ByteBuffer metadata) {
        try {
            FlatTable message = FlatTable.root(metadata.slice(), "a message");
            Kind kind = ArrowMessage.kind(message.number(ArrowMessage.KIND_SLOT, 1), "a message");
            long bodyLength = message.number(ArrowMessage.BODY_LENGTH_SLOT, Long.BYTES);
            FlatTable content = message.child(CONTENT_SLOT);
            long rows = kind == Kind.BATCH ? content.number(ROWS_SLOT, Long.BYTES) : 0;
            if (bodyLength < 0 || bodyLength % 8 != 0 || rows < 0) {
                throw new IllegalArgumentException("Cannot take a message: it states a body of " + bodyLength
                        + " bytes and " + rows + " rows. Send messages of Arrow IPC.");
            }
            return new ArrowHeader(
                    kind,
                    bodyLength,
                    rows,
                    kind == Kind.DICTIONARY ? OptionalLong.of(dictionary(content)) : OptionalLong.empty());
        } catch (BlobCorruptException e) {
            throw new IllegalArgumentException(
                    "Cannot take a message: its metadata is not a message of Arrow IPC, or is truncated.", e);
        }
    }

    private static long dictionary(FlatTable content) {
        if (content.number(IS_DELTA_SLOT, 1) != 0) {
            throw new IllegalArgumentException("Cannot take a dictionary: it is a delta. Send whole dictionaries:"
                    + " IpcWriteOptions(emit_dictionary_deltas=False).");
        }
        return content.number(DICTIONARY_ID_SLOT, Long.BYTES);
    }
}
