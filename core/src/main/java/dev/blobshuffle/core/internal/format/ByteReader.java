package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.encryption.Keyring;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Reads a sequence of numbers and strings, and fails with {@link BlobCorruptException} instead of
 * reading past the end. Owned by one thread.
 */
public final class ByteReader {
    private final byte[] source;
    private final int limit;
    private final String what;
    private int at;

    /**
     * A reader of {@code source[offset, limit)}.
     *
     * @param what names the source in failures: "a notification"
     */
    public ByteReader(byte[] source, int offset, int limit, String what) {
        this.source = source;
        this.limit = limit;
        this.what = what;
        at = offset;
    }

    /** One byte. */
    public byte fixedByte() {
        return source[advance(1)];
    }

    /** A number of four bytes. */
    public int fixedInt() {
        return LittleEndian.readInt(source, advance(Integer.BYTES));
    }

    /** A number of eight bytes. */
    public long fixedLong() {
        return LittleEndian.readLong(source, advance(Long.BYTES));
    }

    /** An unsigned number below 2^31. */
    public int varint() {
        long value = varlong();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw corrupt("a number is out of range");
        }
        return (int) value;
    }

    /** An unsigned number of 64 bits; negative if it is 2^63 or more. */
    public long varlong() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = fixedByte();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw corrupt("a number does not end");
    }

    /**
     * The number of elements that follow, checked against the remaining bytes. Each element takes
     * at least the given number of bytes.
     */
    public int count(int minElementLength) {
        int count = varint();
        if (count > (limit - at) / minElementLength) {
            throw corrupt("it says " + count + " elements and has " + (limit - at) + " bytes");
        }
        return count;
    }

    /** A string: varint length and UTF-8. */
    public String string() {
        int length = varint();
        int start = advance(length);
        return new String(source, start, length, StandardCharsets.UTF_8);
    }

    /** The id of a key: a string; empty: none. */
    public Optional<String> keyId() {
        String id = string();
        if (!id.isEmpty() && !Keyring.isId(id)) {
            throw corrupt("the id of its key is not one");
        }
        return id.isEmpty() ? Optional.empty() : Optional.of(id);
    }

    /** The index of the next byte in the source. */
    public int position() {
        return at;
    }

    /** Skips bytes. */
    public void skip(int length) {
        int ignored = advance(length);
    }

    /** Requires that all bytes have been read. */
    public void end() {
        if (at != limit) {
            throw corrupt((limit - at) + " bytes follow its end");
        }
    }

    /** The failure for a contradiction in the bytes. */
    public BlobCorruptException corrupt(String reason) {
        return new BlobCorruptException("Cannot read " + what + ": " + reason
                + ". Its checksum is right, so its writer was faulty; report it.");
    }

    private int advance(int length) {
        if (length < 0 || length > limit - at) {
            throw corrupt("it ends too early");
        }
        int start = at;
        at += length;
        return start;
    }
}
