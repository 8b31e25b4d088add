package dev.blobshuffle.flight.internal.wire;

import java.nio.ByteBuffer;

/**
 * One {@code FlightData} message: an Arrow IPC message without the 8 bytes before its metadata, and
 * metadata of the application. The buffers are lent for as long as their owner says.
 *
 * @param header the metadata of the IPC message, with its padding; empty if there is none
 * @param body the body of the IPC message
 * @param appMetadata of the application; empty if there is none
 */
public record FlightFrame(ByteBuffer header, ByteBuffer body, byte[] appMetadata) {
    /** The metadata of the application of a dictionary that precedes the frames of a map. */
    public static final byte PRELUDE = 'p';

    private static final int HEADER = 2;
    private static final int APP_METADATA = 3;
    private static final int BODY = 1000;

    /** A frame without metadata of the application. */
    public static FlightFrame of(ArrowMessage message) {
        return new FlightFrame(message.metadata(), message.body(), new byte[0]);
    }

    /** The same with metadata of the application. */
    public FlightFrame with(byte[] metadata) {
        return new FlightFrame(header, body, metadata);
    }

    /** The message's bytes between its start and the IPC metadata. */
    byte[] beforeHeader() {
        ProtoWriter writer = new ProtoWriter().bytes(APP_METADATA, appMetadata);
        return header.hasRemaining()
                ? writer.bytesHeader(HEADER, header.remaining()).toBytes()
                : writer.toBytes();
    }

    /** The message's bytes between the IPC metadata and the body. */
    byte[] beforeBody() {
        return header.hasRemaining()
                ? new ProtoWriter().bytesHeader(BODY, body.remaining()).toBytes()
                : new byte[0];
    }

    /**
     * Decodes a message. The buffers are parts of it.
     *
     * @throws IllegalArgumentException it is none
     */
    public static FlightFrame decode(ByteBuffer message) {
        ByteBuffer header = ByteBuffer.allocate(0);
        ByteBuffer body = ByteBuffer.allocate(0);
        byte[] appMetadata = {};
        ProtoReader reader = new ProtoReader(message);
        while (reader.next()) {
            switch (reader.field()) {
                case HEADER -> header = reader.bytes();
                case BODY -> body = reader.bytes();
                case APP_METADATA -> appMetadata = reader.array();
                default -> {
                    // The descriptor, which only DoPut has.
                }
            }
        }
        return new FlightFrame(header, body, appMetadata);
    }
}
