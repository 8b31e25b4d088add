package dev.blobshuffle.flight.internal.wire;

import java.nio.ByteBuffer;

/**
 * One {@code FlightData} message of a DoPut.
 *
 * @param descriptor of the flight; empty if there is none
 * @param appMetadata application metadata; empty if there is none
 * @param message the encapsulated Arrow IPC message in its stored form; empty if there is none
 * @param metadataLength length of its metadata with padding, bytes
 * @param fault why the message is unreadable; empty if it is readable
 */
public record PutMessage(byte[] descriptor, byte[] appMetadata, byte[] message, int metadataLength, String fault) {
    /** A malformed message. */
    static PutMessage malformed(String fault) {
        return new PutMessage(new byte[0], new byte[0], new byte[0], 0, fault);
    }

    /** The metadata of the Arrow IPC message. */
    public ByteBuffer metadata() {
        return ByteBuffer.wrap(message, ArrowMessage.PREFIX_LENGTH, metadataLength)
                .slice();
    }

    /** The length of the body, bytes. */
    public int bodyLength() {
        return message.length - ArrowMessage.PREFIX_LENGTH - metadataLength;
    }

    /** The size in memory, bytes. */
    public int length() {
        return descriptor.length + appMetadata.length + message.length;
    }
}
