package dev.blobshuffle.core.internal.format.record;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Compression;
import dev.blobshuffle.core.internal.format.Varint;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the records of one raw body, in order. It copies nothing until a key or value is
 * requested. Reusable: {@link #reset} starts with another body. Owned by one thread. Its {@link
 * #headers()} are valid until the next call of {@link #next()}.
 *
 * <p>It accepts any bytes: it checks that each byte lies before the body's end before it reads the
 * byte.
 */
public final class RecordCursor {
    private final HeadersView headersView = new HeadersView();

    private byte[] array = {};
    private int at;
    private int limit;
    private int remaining;

    private long timestamp;
    private int keyStart;
    private boolean hasKey;
    private int valueStart;
    private boolean hasValue;
    private boolean hasHeaders;

    /** A cursor without records. */
    public RecordCursor() {}

    /**
     * Starts with a raw body, {@code array[offset, offset + length)}, with the given number of
     * records.
     */
    public void reset(byte[] array, int offset, int length, int records, long baseTimestamp) {
        this.array = array;
        at = offset;
        limit = offset + length;
        remaining = records;
        timestamp = baseTimestamp;
    }

    /**
     * Starts with a frame's records. An encrypted or compressed body is decoded into new memory.
     *
     * @throws BlobCorruptException fatal: the body does not decompress
     */
    public void reset(Frame frame) {
        SealedFrame sealed = frame.sealed();
        byte[] body = sealed == null ? frame.array() : sealed.open(frame);
        int offset = sealed == null ? frame.offset() : 0;
        if (frame.codec() != Codec.NONE) {
            byte[] raw = new byte[frame.rawLength()];
            decompress(frame.codec(), body, offset, frame.length(), raw, raw.length, "a batch in memory");
            body = raw;
            offset = 0;
        }
        reset(body, offset, frame.rawLength(), frame.records(), frame.baseTimestamp());
    }

    /** Decompresses a body to the start of an array. */
    static void decompress(
            Codec codec, byte[] source, int offset, int length, byte[] target, int rawLength, Object where) {
        try (Compression compression = codec.compression()) {
            if (!compression.decompress(source, offset, length, target, rawLength)) {
                throw FrameHeader.corrupt(
                        where, "its body does not decompress to " + rawLength + " bytes with " + codec);
            }
        }
    }

    /** Number of records after the current one. */
    int remaining() {
        return remaining;
    }

    /**
     * Steps to the next record.
     *
     * @return false after the last one
     * @throws BlobCorruptException fatal: the bytes are not records
     */
    public boolean next() {
        if (remaining == 0) {
            return false;
        }
        int keyField = readVarint();
        timestamp += Varint.unzigzag(readVarlong());
        int valueField = readVarint();
        hasHeaders = (keyField & 1) != 0;
        if (hasHeaders) {
            passHeaders();
        }
        int keyLength = (keyField >>> 1) - 1;
        hasKey = keyLength >= 0;
        keyStart = at;
        if (hasKey) {
            pass(keyLength);
        }
        hasValue = valueField != 0;
        valueStart = at;
        if (hasValue) {
            pass(valueField - 1);
        }
        remaining--;
        if (remaining == 0 && at != limit) {
            throw corrupt("bytes follow its last record");
        }
        return true;
    }

    /** The record's timestamp, milliseconds since the Unix epoch. */
    public long timestamp() {
        return timestamp;
    }

    /** The record's key, as a new array at each call. */
    public byte @Nullable [] key() {
        return hasKey ? Arrays.copyOfRange(array, keyStart, valueStart) : null;
    }

    /** The record's value, as a new array at each call. */
    public byte @Nullable [] value() {
        return hasValue ? Arrays.copyOfRange(array, valueStart, at) : null;
    }

    /** Where the value lies in the bytes that {@link #array} returns. */
    int valueOffset() {
        return valueStart;
    }

    /** Length of the value, bytes; 0 without one. */
    int valueLength() {
        return at - valueStart;
    }

    /** Length of the key, bytes; 0 without one. */
    int keyLength() {
        return valueStart - keyStart;
    }

    /** The body. */
    byte[] array() {
        return array;
    }

    /** The record's headers; valid until the next step. */
    public Headers headers() {
        return hasHeaders ? headersView : Headers.NONE;
    }

    private int readVarint() {
        if (at < limit) {
            byte first = array[at];
            if (first >= 0) {
                at++;
                return first;
            }
        }
        long value = readVarlong();
        if (value >>> 32 != 0) {
            throw corrupt("a length of a record is above 32 bits");
        }
        return (int) value;
    }

    private long readVarlong() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE && at < limit; shift += 7) {
            byte next = array[at++];
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw corrupt("a number of a record does not end");
    }

    private void pass(int length) {
        if (length < 0 || length > limit - at) {
            throw corrupt("a record reaches beyond its end");
        }
        at += length;
    }

    private void passHeaders() {
        int count = readVarint();
        headersView.start(count, at);
        if (count < 1) {
            throw corrupt("a record says that it has headers, and their number is " + count);
        }
        for (int i = 0; i < count; i++) {
            pass(readVarint());
            int valueField = readVarint();
            if (valueField != 0) {
                pass(valueField - 1);
            }
        }
    }

    private static BlobCorruptException corrupt(String reason) {
        return new BlobCorruptException("Cannot read a record of a frame: " + reason
                + ". The writer was faulty, for the frame's checksum is right; report it.");
    }

    /**
     * The headers of the current record, found by a walk over their bytes. Reading them in order
     * costs one walk, and malicious bytes cannot cost memory. The cursor has already checked their
     * bounds.
     */
    private final class HeadersView implements Headers {
        private int count;
        private int start;

        /** The start of the header at {@link #index}. */
        private int position;

        private int index;

        void start(int count, int start) {
            this.count = count;
            this.start = start;
            position = start;
            index = 0;
        }

        @Override
        public int count() {
            return count;
        }

        @Override
        public String name(int index) {
            seek(index);
            int length = lengthAt(position);
            int from = after(position);
            return new String(array, from, length, StandardCharsets.UTF_8);
        }

        @Override
        public byte @Nullable [] value(int index) {
            seek(index);
            int field = afterName();
            int length = lengthAt(field) - 1;
            int from = after(field);
            return length < 0 ? null : Arrays.copyOfRange(array, from, from + length);
        }

        private void seek(int wanted) {
            if (wanted < 0 || wanted >= count) {
                throw new IndexOutOfBoundsException(wanted);
            }
            if (wanted < index) {
                index = 0;
                position = start;
            }
            while (index < wanted) {
                int field = afterName();
                position = after(field) + Math.max(0, lengthAt(field) - 1);
                index++;
            }
        }

        private int afterName() {
            return after(position) + lengthAt(position);
        }

        private int lengthAt(int offset) {
            int value = 0;
            int shift = 0;
            for (int i = offset; ; i++) {
                value |= (array[i] & 0x7f) << shift;
                if (array[i] >= 0) {
                    return value;
                }
                shift += 7;
            }
        }

        private int after(int offset) {
            int end = offset;
            while (array[end] < 0) {
                end++;
            }
            return end + 1;
        }
    }
}
