package dev.blobshuffle.flight.internal.wire;

import java.nio.ByteBuffer;

/**
 * One {@code FlightData} message of a DoPut.
 *
 * @param descriptor of the flight; empty if there is none
 * @param appMetadata of the application; empty if there is none
 * @param message the encapsulated message of Arrow IPC, as it is stored; empty if there is none
 * @param metadataLength length of its metadata with padding, bytes
 * @param fault why it cannot be read; empty if it can
 */
public record PutMessage(byte[] descriptor, byte[] appMetadata, byte[] message, int metadataLength, String fault) {
    /** A message that is none. */
    static PutMessage malformed(String fault) {
        return new PutMessage(new byte[0], new byte[0], new byte[0], 0, fault);
    }

    /** The metadata of the message of Arrow IPC. */
    public ByteBuffer metadata() {
        return ByteBuffer.wrap(message, ArrowMessage.PREFIX_LENGTH, metadataLength)
                .slice();
    }

    /** Bytes of the body. */
    public int bodyLength() {
        return message.length - ArrowMessage.PREFIX_LENGTH - metadataLength;
    }

    /** Bytes in memory. */
    public int length() {
        return descriptor.length + appMetadata.length + message.length;
    }
}
