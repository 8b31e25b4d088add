package dev.blobshuffle.core.internal.format.record;

import dev.blobshuffle.core.internal.format.Codec;
import org.jspecify.annotations.Nullable;

/**
 * The stored form of one run of records of a segment, before it is in a blob: a body in the
 * caller's array, and what its 32-byte header says ({@code docs/format.md}, "Frame"). Made by
 * {@link FrameEncoder}. The array is shared, not copied: it must not change while the blob is being
 * stored.
 *
 * @param array holds the body
 * @param offset where the body starts in the array
 * @param length bytes of the body (compressed if the codec says so), without the tag of an
 *     encrypted one
 * @param rawLength bytes of the body before compression
 * @param records number of records, 1 or more
 * @param baseTimestamp what the first record's timestamp delta refers to, milliseconds
 * @param codec how the body is compressed
 * @param bodyChecksum CRC32C of the body as stored, the tag included
 * @param sealed what an encrypted frame has beside its body; null: it is not encrypted
 */
@SuppressWarnings("ArrayRecordComponent") // Two frames are never compared.
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
     * The longest body before compression, bytes. A usual one is one chunk of the Batcher; only a
     * single huge record makes a longer one.
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

    /** Bytes of the body as stored: with the tag of an encrypted one. */
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
