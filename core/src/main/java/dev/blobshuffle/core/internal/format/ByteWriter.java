package dev.blobshuffle.core.internal.format;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes numbers and strings one after the other into a growing array: what {@link ByteReader}
 * reads. Not for the append path. Owned by one thread.
 */
final class ByteWriter {
    private byte[] target = new byte[256];
    private int at;

    void fixedByte(int value) {
        ensure(1);
        target[at++] = (byte) value;
    }

    void fixedShort(int value) {
        ensure(Short.BYTES);
        LittleEndian.writeShort(target, at, value);
        at += Short.BYTES;
    }

    void fixedInt(int value) {
        ensure(Integer.BYTES);
        LittleEndian.writeInt(target, at, value);
        at += Integer.BYTES;
    }

    void fixedLong(long value) {
        ensure(Long.BYTES);
        LittleEndian.writeLong(target, at, value);
        at += Long.BYTES;
    }

    /** An unsigned number. */
    void varlong(long value) {
        ensure(10);
        at = Varint.writeLong(target, at, value);
    }

    /** A string: varint length and UTF-8. */
    void string(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        varlong(bytes.length);
        ensure(bytes.length);
        System.arraycopy(bytes, 0, target, at, bytes.length);
        at += bytes.length;
    }

    /** Bytes written so far. */
    int length() {
        return at;
    }

    /** CRC32C of the bytes from an offset to the end so far. */
    int checksumFrom(int offset) {
        return Checksum.of(target, offset, at - offset);
    }

    byte[] toArray() {
        return Arrays.copyOf(target, at);
    }

    private void ensure(int more) {
        if (more > target.length - at) {
            target = Arrays.copyOf(target, Math.max(target.length * 2, Math.addExact(at, more)));
        }
    }
}
