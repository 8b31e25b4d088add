package dev.blobshuffle.core.internal.format;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes a sequence of numbers and strings into a growing array, for {@link ByteReader}. Not for
 * the append path. Owned by one thread.
 */
public final class ByteWriter {
    private byte[] target;
    private int at;

    /** A writer that expects some hundred bytes. */
    public ByteWriter() {
        this(256);
    }

    /** A writer that expects a number of bytes. */
    public ByteWriter(int expected) {
        target = new byte[expected];
    }

    /** One byte. */
    public void fixedByte(int value) {
        ensure(1);
        target[at++] = (byte) value;
    }

    /** A number of two bytes. */
    public void fixedShort(int value) {
        ensure(Short.BYTES);
        LittleEndian.writeShort(target, at, value);
        at += Short.BYTES;
    }

    /** A number of four bytes. */
    public void fixedInt(int value) {
        ensure(Integer.BYTES);
        LittleEndian.writeInt(target, at, value);
        at += Integer.BYTES;
    }

    /** A number of eight bytes. */
    public void fixedLong(long value) {
        ensure(Long.BYTES);
        LittleEndian.writeLong(target, at, value);
        at += Long.BYTES;
    }

    /** An unsigned number. */
    public void varlong(long value) {
        ensure(10);
        at = Varint.writeLong(target, at, value);
    }

    /** A string: varint length and UTF-8. */
    public void string(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        varlong(bytes.length);
        ensure(bytes.length);
        System.arraycopy(bytes, 0, target, at, bytes.length);
        at += bytes.length;
    }

    /** Bytes written so far. */
    public int length() {
        return at;
    }

    /** CRC32C of the bytes from an offset to the end so far. */
    public int checksumFrom(int offset) {
        return Checksum.of(target, offset, at - offset);
    }

    /** Raw bytes. */
    public void bytes(byte[] source, int offset, int length) {
        ensure(length);
        System.arraycopy(source, offset, target, at, length);
        at += length;
    }

    /** The remaining bytes of a buffer, whose position moves to its limit. */
    public void bytes(ByteBuffer source) {
        int length = source.remaining();
        ensure(length);
        source.get(target, at, length);
        at += length;
    }

    /** Everything that another writer has written. */
    public void all(ByteWriter other) {
        bytes(other.target, 0, other.at);
    }

    /** Clears the writer, so that it is empty again. */
    public void clear() {
        at = 0;
    }

    /** A copy of what was written. */
    public byte[] toArray() {
        return Arrays.copyOf(target, at);
    }

    private void ensure(int more) {
        if (more > target.length - at) {
            target = Arrays.copyOf(target, Math.max(target.length * 2, Math.addExact(at, more)));
        }
    }
}
