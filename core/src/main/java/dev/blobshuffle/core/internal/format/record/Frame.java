package dev.blobshuffle.core.internal.format.record;

import dev.blobshuffle.core.internal.format.Codec;
import org.jspecify.annotations.Nullable;

/**
 * A frame before it is in a blob: the encoded body of some records of a segment, and the fields of
 * its 32-byte header ({@code docs/format.md}, "Frame"). {@link FrameEncoder} creates it. The
 * caller's array is shared, not copied, so it must not change while the blob is being stored.
 *
 * @param array holds the body
 * @param offset start of the body in the array
 * @param length bytes of the body after compression, without the tag of an encrypted body
 * @param rawLength bytes of the body before compression
 * @param records number of records, 1 or more
 * @param baseTimestamp the base of the first record's timestamp delta, milliseconds
 * @param codec the compression of the body
 * @param bodyChecksum CRC32C of the body as stored, including the tag
 * @param sealed the encryption data of the frame; null if it is not encrypted
 */
@SuppressWarnings("ArrayRecordComponent") // Frames are never compared.
public record Frame(
        byte[] array,
        int offset,
        int length,
        int rawLength,
        int records,
        long baseTimestamp,
        Codec codec,
        int bodyChecksum,
        @Nullable SealedFrame sealed) {
    /** Length of a frame header, bytes. */
    public static final int HEADER_LENGTH = 32;

    /** Frames, segments and sections start at multiples of this, bytes. */
    public static final int ALIGNMENT = 8;

    /**
     * The longest body before compression, bytes. A usual body is one chunk of the Batcher; only a
     * single huge record makes a body longer.
     */
    public static final int MAX_RAW_LENGTH = 64 << 20;

    /** Checks that the body lies in the array and its numbers are legal. */
    public Frame {
        boolean inside = offset >= 0 && length > 0 && length <= array.length - offset;
        boolean sound = rawLength <= MAX_RAW_LENGTH && (codec == Codec.NONE ? length == rawLength : length < rawLength);
        if (!inside || !sound || records < 1 || records > rawLength / RecordLayout.MIN_ENCODED_SIZE) {
            throw new IllegalArgumentException(
                    "Cannot form a frame: body [" + offset + ", +" + length + ") of " + array.length
                            + " bytes, raw length " + rawLength + ", " + records + " records, codec " + codec + ".");
        }
    }

    /** Bytes of the body as stored, including the tag of an encrypted body. */
    int encodedLength() {
        return sealed == null ? length : length + FrameCipher.TAG_LENGTH;
    }

    /** Bytes that the frame takes in a blob: header, body and padding. */
    public int storedLength() {
        return HEADER_LENGTH + align(encodedLength());
    }

    /** The next multiple of {@link #ALIGNMENT}. */
    static int align(int length) {
        return length + ALIGNMENT - 1 & -ALIGNMENT;
    }
}
