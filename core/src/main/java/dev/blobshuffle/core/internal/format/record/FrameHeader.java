package dev.blobshuffle.core.internal.format.record;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.LittleEndian;
import java.util.zip.CRC32C;

/**
 * The 32 bytes before a frame's body: {@code docs/format.md}, "Frame".
 *
 * @param codec the compression of the body
 * @param records number of records, 1 or more
 * @param rawLength bytes of the body before compression
 * @param length bytes of the body as stored, including the tag of an encrypted body
 * @param baseTimestamp the base of the first record's timestamp delta, milliseconds
 * @param bodyChecksum CRC32C of the body as stored
 * @param isBound whether the header's checksum covers the partition's tag
 * @param isSealed whether the body is encrypted
 */
record FrameHeader(
        Codec codec,
        int records,
        int rawLength,
        int length,
        long baseTimestamp,
        int bodyChecksum,
        boolean isBound,
        boolean isSealed) {
    /** Length of the fields that encryption authenticates: all but the two checksums. */
    static final int FIELDS_LENGTH = 24;

    private static final int BOUND = 1;
    private static final int SEALED = 2;

    /**
     * A byte of LZ4 represents at most 255 bytes. A header that claims more is refused before
     * memory is allocated.
     */
    private static final long MAX_LZ4_RATIO = 255;

    private static final int CHECKSUM_OFFSET = 28;

    /** Writes a frame's header, bound to a partition by its tag. */
    static void write(Frame frame, int tag, byte[] target, int offset) {
        writeFields(frame, frame.sealed() != null, target, offset);
        LittleEndian.writeInt(target, offset + FIELDS_LENGTH, frame.bodyChecksum());
        LittleEndian.writeInt(target, offset + CHECKSUM_OFFSET, checksum(target, offset, tag));
    }

    /** Writes the fields before the checksums. */
    static void writeFields(Frame frame, boolean isSealed, byte[] target, int offset) {
        target[offset] = (byte) frame.codec().code();
        target[offset + 1] = (byte) (isSealed ? BOUND | SEALED : BOUND);
        LittleEndian.writeShort(target, offset + 2, 0);
        LittleEndian.writeInt(target, offset + 4, frame.records());
        LittleEndian.writeInt(target, offset + 8, frame.rawLength());
        LittleEndian.writeInt(target, offset + 12, isSealed ? frame.length() + FrameCipher.TAG_LENGTH : frame.length());
        LittleEndian.writeLong(target, offset + 16, frame.baseTimestamp());
    }

    /** CRC32C of the 28 bytes before the checksum and of the tag. */
    static int checksum(byte[] header, int offset, int tag) {
        CRC32C crc = new CRC32C();
        crc.update(header, offset, CHECKSUM_OFFSET);
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            crc.update(tag >>> shift);
        }
        return (int) crc.getValue();
    }

    /**
     * Reads a header. All its bytes must be present.
     *
     * @param tag the tag of the partition that the frame must belong to; not used for an unbound
     *     header
     * @param where names the frame in a failure
     * @throws BlobCorruptException fatal: the bytes are not a header
     */
    static FrameHeader read(byte[] source, int offset, int tag, Object where) {
        int expected = LittleEndian.readInt(source, offset + CHECKSUM_OFFSET);
        int flags = source[offset + 1];
        boolean isBound = (flags & BOUND) != 0;
        int actual = isBound ? checksum(source, offset, tag) : Checksum.of(source, offset, CHECKSUM_OFFSET);
        if (actual != expected) {
            throw corrupt(
                    where,
                    "its header's checksum is " + hex(actual) + ", not " + hex(expected)
                            + (isBound ? ", or it belongs to another partition" : ""));
        }
        if ((flags & ~(BOUND | SEALED)) != 0 || LittleEndian.readShort(source, offset + 2) != 0) {
            throw new BlobCorruptException("Cannot read a frame of " + where
                    + ": it uses flags that this version does not know. Upgrade the reader.");
        }
        Codec codec = Codec.of(source[offset], () -> "a frame of " + where);
        FrameHeader header = new FrameHeader(
                codec,
                LittleEndian.readInt(source, offset + 4),
                LittleEndian.readInt(source, offset + 8),
                LittleEndian.readInt(source, offset + 12),
                LittleEndian.readLong(source, offset + 16),
                LittleEndian.readInt(source, offset + FIELDS_LENGTH),
                isBound,
                (flags & SEALED) != 0);
        header.checkLengths(where);
        return header;
    }

    private void checkLengths(Object where) {
        int body = bodyLength();
        boolean sound = length > 0
                && body > 0
                && rawLength > 0
                && rawLength <= Frame.MAX_RAW_LENGTH
                && (codec == Codec.NONE ? body == rawLength : body < rawLength)
                && (codec != Codec.LZ4 || rawLength <= MAX_LZ4_RATIO * body)
                && records > 0
                && records <= rawLength / RecordLayout.MIN_ENCODED_SIZE;
        if (!sound) {
            throw corrupt(
                    where,
                    "its header is not sound: codec " + codec + ", " + records + " records, raw length " + rawLength
                            + ", length " + length);
        }
    }

    /** Bytes of the decrypted body. */
    int bodyLength() {
        return isSealed ? length - FrameCipher.TAG_LENGTH : length;
    }

    /** Bytes that the frame takes: header, body and padding. */
    int storedLength() {
        return Frame.HEADER_LENGTH + Frame.align(length);
    }

    static BlobCorruptException corrupt(Object where, String reason) {
        return new BlobCorruptException("Cannot read a frame of " + where + ": " + reason
                + ". Read it again; if that fails too, the stored bytes are damaged.");
    }

    static String hex(int checksum) {
        return String.format("%08x", checksum);
    }
}
