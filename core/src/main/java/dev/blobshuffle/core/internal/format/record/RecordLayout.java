package dev.blobshuffle.core.internal.format.record;

import dev.blobshuffle.core.internal.format.Varint;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The layout of one record in the raw body of a frame: {@code docs/format.md}, "Record". Stateless.
 * This is on the append path, so a record without headers needs no allocation.
 */
public final class RecordLayout {
    /**
     * The largest encoded record, bytes. A record never spans frames. Compare {@link
     * #maxEncodedSize} with it before encoding.
     */
    public static final int MAX_ENCODED_SIZE = Frame.MAX_RAW_LENGTH;

    /**
     * The fewest bytes that a record takes: one each for key length, timestamp and value length.
     */
    static final int MIN_ENCODED_SIZE = 3;

    private static final int MAX_VARINT = 5;
    private static final int MAX_VARLONG = 10;

    private RecordLayout() {}

    /**
     * An upper bound of the bytes that {@link #encode} writes. It is cheap because it reads no
     * content: a header name counts as three bytes per character.
     */
    public static long maxEncodedSize(byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
        long size = 2 * MAX_VARINT + MAX_VARLONG;
        size += key == null ? 0 : key.length;
        size += value == null ? 0 : value.length;
        int count = headers.count();
        return count == 0 ? size : size + maxHeadersSize(headers, count);
    }

    /**
     * The same for a record that is a value only.
     *
     * @param valueLength length of the value, bytes
     */
    public static long maxEncodedSize(int valueLength) {
        return 2 * MAX_VARINT + MAX_VARLONG + (long) valueLength;
    }

    private static long maxHeadersSize(Headers headers, int count) {
        long size = MAX_VARINT;
        for (int i = 0; i < count; i++) {
            byte[] value = headers.value(i);
            size += 2 * MAX_VARINT + 3L * headers.name(i).length() + (value == null ? 0 : value.length);
        }
        return size;
    }

    /**
     * Writes one record.
     *
     * @param target the raw body; has at least {@link #maxEncodedSize} bytes after the offset
     * @param offset the offset to start at
     * @param timestampDelta the record's timestamp minus that of the previous record in the frame,
     *     or minus the frame's base timestamp for the first record; milliseconds, with overflow, so
     *     every pair of longs works
     * @return the offset after the record
     */
    public static int encode(
            byte[] target,
            int offset,
            long timestampDelta,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers) {
        int headerCount = headers.count();
        int keyField = (key == null ? 0 : key.length + 1) << 1 | (headerCount == 0 ? 0 : 1);
        int at = Varint.write(target, offset, keyField);
        at = Varint.writeLong(target, at, Varint.zigzag(timestampDelta));
        at = Varint.write(target, at, value == null ? 0 : value.length + 1);
        if (headerCount != 0) {
            at = encodeHeaders(target, at, headers, headerCount);
        }
        if (key != null) {
            System.arraycopy(key, 0, target, at, key.length);
            at += key.length;
        }
        if (value != null) {
            System.arraycopy(value, 0, target, at, value.length);
            at += value.length;
        }
        return at;
    }

    /**
     * Writes one record that is a value only, as {@link #encode} does without key and headers.
     *
     * @param source holds the value, of the given length, from {@code sourceOffset} on
     */
    public static int encodeValue(
            byte[] target, int offset, long timestampDelta, byte[] source, int sourceOffset, int length) {
        int at = Varint.write(target, offset, 0);
        at = Varint.writeLong(target, at, Varint.zigzag(timestampDelta));
        at = Varint.write(target, at, length + 1);
        System.arraycopy(source, sourceOffset, target, at, length);
        return at + length;
    }

    private static int encodeHeaders(byte[] target, int offset, Headers headers, int count) {
        int at = Varint.write(target, offset, count);
        for (int i = 0; i < count; i++) {
            byte[] name = headers.name(i).getBytes(StandardCharsets.UTF_8);
            at = Varint.write(target, at, name.length);
            System.arraycopy(name, 0, target, at, name.length);
            at += name.length;
            byte[] value = headers.value(i);
            at = Varint.write(target, at, value == null ? 0 : value.length + 1);
            if (value != null) {
                System.arraycopy(value, 0, target, at, value.length);
                at += value.length;
            }
        }
        return at;
    }
}
