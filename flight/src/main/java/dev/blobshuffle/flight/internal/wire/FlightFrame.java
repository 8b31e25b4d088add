package dev.blobshuffle.flight.internal.wire;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * One {@code FlightData} message: an Arrow IPC message without the 8 bytes before its metadata, and
 * application metadata. The buffers' owner decides how long they stay valid.
 *
 * @param header the metadata of the IPC message, with its padding; empty if there is none
 * @param body the body of the IPC message
 * @param appMetadata application metadata; empty if there is none
 * @param place memory that contains the body, if gRPC need not copy it
 */
public record FlightFrame(ByteBuffer header, ByteBuffer body, byte[] appMetadata, Optional<InPlace> place) {
    /** The application metadata of a dictionary that precedes the frames of a map. */
    public static final byte PRELUDE = 'p';

    private static final int HEADER = 2;
    private static final int APP_METADATA = 3;
    private static final int BODY = 1000;

    /** Most bytes of the tags and lengths before the body. */
    private static final int MOST_TAGS = 20;

    /** A frame without application metadata. */
    public static FlightFrame of(ArrowMessage message) {
        return new FlightFrame(message.metadata(), message.body(), new byte[0], Optional.empty());
    }

    /** A copy with application metadata. */
    public FlightFrame with(byte[] metadata) {
        return new FlightFrame(header, body, metadata, place);
    }

    /** A copy whose body gRPC does not copy. */
    public FlightFrame in(InPlace memory) {
        return new FlightFrame(header, body, appMetadata, Optional.of(memory));
    }

    /** The message's bytes before the body. */
    byte[] start() {
        ProtoWriter writer = new ProtoWriter(appMetadata.length + header.remaining() + MOST_TAGS);
        writer.bytes(APP_METADATA, appMetadata);
        if (header.hasRemaining()) {
            writer.element(HEADER, header).bytesHeader(BODY, body.remaining());
        }
        return writer.toBytes();
    }

    /**
     * Decodes a message. The buffers are slices of it.
     *
     * @throws IllegalArgumentException the message is malformed
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
                    // The descriptor. Only DoPut has one.
                }
            }
        }
        return new FlightFrame(header, body, appMetadata, Optional.empty());
    }
}
