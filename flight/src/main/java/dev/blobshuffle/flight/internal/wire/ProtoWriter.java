package dev.blobshuffle.flight.internal.wire;

import dev.blobshuffle.core.internal.format.ByteWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes the fields of one protobuf message. Omits fields that are empty or 0. */
public final class ProtoWriter {
    private static final int VARINT = 0;
    private static final int BYTES = 2;

    private final ByteWriter writer;

    /** A message without fields. */
    public ProtoWriter() {
        writer = new ByteWriter();
    }

    /**
     * A message without fields.
     *
     * @param expected approximate size of the final message, bytes
     */
    ProtoWriter(int expected) {
        writer = new ByteWriter(expected);
    }

    /** Writes an integer or enum field. */
    public ProtoWriter number(int field, long value) {
        if (value != 0) {
            writer.varlong((long) field << 3 | VARINT);
            writer.varlong(value);
        }
        return this;
    }

    /** Writes a text field. */
    public ProtoWriter text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes a bytes field. */
    public ProtoWriter bytes(int field, byte[] value) {
        return value.length == 0 ? this : element(field, value);
    }

    /** Writes one element of a repeated field, or a nested message, even if it is empty. */
    public ProtoWriter element(int field, byte[] value) {
        bytesHeader(field, value.length);
        writer.bytes(value, 0, value.length);
        return this;
    }

    /** Like {@link #element(int, byte[])}, from a buffer. The buffer's position does not change. */
    ProtoWriter element(int field, ByteBuffer value) {
        bytesHeader(field, value.remaining());
        writer.bytes(value.duplicate());
        return this;
    }

    /** Writes tag and length of a field whose bytes the caller appends to the message. */
    public ProtoWriter bytesHeader(int field, int length) {
        writer.varlong((long) field << 3 | BYTES);
        writer.varlong(length);
        return this;
    }

    /** The message as bytes. */
    public byte[] toBytes() {
        return writer.toArray();
    }
}
