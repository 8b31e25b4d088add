package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.internal.encryption.Keyring;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Reads numbers and strings one after the other, and fails with {@link BlobCorrupt} before it would
 * pass the end. Owned by one thread.
 */
final class ByteReader {
    private final byte[] source;
    private final int limit;
    private final String what;
    private int at;

    /**
     * A reader of {@code source[offset, limit)}.
     *
     * @param what names the thing in a failure: "a notification"
     */
    ByteReader(byte[] source, int offset, int limit, String what) {
        this.source = source;
        this.limit = limit;
        this.what = what;
        at = offset;
    }

    byte fixedByte() {
        return source[advance(1)];
    }

    int fixedInt() {
        return LittleEndian.readInt(source, advance(Integer.BYTES));
    }

    long fixedLong() {
        return LittleEndian.readLong(source, advance(Long.BYTES));
    }

    /** An unsigned number below 2^31. */
    int varint() {
        long value = varlong();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw corrupt("a number is out of range");
        }
        return (int) value;
    }

    /** 64 bits; negative when the unsigned number is 2^63 or more. */
    long varlong() {
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
     * The number of elements that follow, each of which takes at least the given bytes: never more
     * than there can be.
     */
    int count(int minElementLength) {
        int count = varint();
        if (count > (limit - at) / minElementLength) {
            throw corrupt("it says " + count + " elements and has " + (limit - at) + " bytes");
        }
        return count;
    }

    /** A string: varint length and UTF-8. */
    String string() {
        int length = varint();
        int start = advance(length);
        return new String(source, start, length, StandardCharsets.UTF_8);
    }

    /** The id of a key: a string; empty: none. */
    Optional<String> keyId() {
        String id = string();
        if (!id.isEmpty() && !Keyring.isId(id)) {
            throw corrupt("the id of its key is not one");
        }
        return id.isEmpty() ? Optional.empty() : Optional.of(id);
    }

    /** Requires that everything was read. */
    void end() {
        if (at != limit) {
            throw corrupt((limit - at) + " bytes follow its end");
        }
    }

    BlobCorrupt corrupt(String reason) {
        return new BlobCorrupt("Cannot read " + what + ": " + reason
                + ". Its checksum is right, so its writer was faulty; report it.");
    }

    private int advance(int length) {
        if (length > limit - at) {
            throw corrupt("it ends too early");
        }
        int start = at;
        at += length;
        return start;
    }
}
