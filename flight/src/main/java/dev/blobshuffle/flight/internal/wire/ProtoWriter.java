package dev.blobshuffle.flight.internal.wire;

import dev.blobshuffle.core.internal.format.ByteWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes the fields of one protobuf message. Fields that are empty or 0 are left out. */
public final class ProtoWriter {
    private static final int VARINT = 0;
    private static final int BYTES = 2;

    private final ByteWriter writer;

    /** A message without fields. */
    public ProtoWriter() {
        writer = new ByteWriter();
    }

    /** The same, which will have about so many bytes. */
    ProtoWriter(int expected) {
        writer = new ByteWriter(expected);
    }

    /** An integer or enum field. */
    public ProtoWriter number(int field, long value) {
        if (value != 0) {
            writer.varlong((long) field << 3 | VARINT);
            writer.varlong(value);
        }
        return this;
    }

    /** A field of text. */
    public ProtoWriter text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    /** A field of bytes. */
    public ProtoWriter bytes(int field, byte[] value) {
        return value.length == 0 ? this : element(field, value);
    }

    /** One element of a repeated field, or a message: also if it is empty. */
    public ProtoWriter element(int field, byte[] value) {
        bytesHeader(field, value.length);
        writer.bytes(value, 0, value.length);
        return this;
    }

    /** The same with the bytes of a buffer, whose position stays. */
    ProtoWriter element(int field, ByteBuffer value) {
        bytesHeader(field, value.remaining());
        writer.bytes(value.duplicate());
        return this;
    }

    /** Tag and length of a field whose bytes the caller writes after the message so far. */
    public ProtoWriter bytesHeader(int field, int length) {
        writer.varlong((long) field << 3 | BYTES);
        writer.varlong(length);
        return this;
    }

    /** The message. */
    public byte[] toBytes() {
        return writer.toArray();
    }
}
