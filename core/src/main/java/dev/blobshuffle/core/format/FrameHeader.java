package dev.blobshuffle.core.format;

import dev.blobshuffle.core.failure.BlobCorrupt;

/**
 * The 32 bytes before a frame's body: {@code docs/format.md}, "Frame".
 *
 * @param codec how the body is compressed
 * @param records number of records, 1 or more
 * @param rawLength bytes of the body before compression
 * @param length bytes of the body as stored
 * @param baseTimestamp what the first record's delta refers to, milliseconds
 * @param bodyChecksum CRC32C of the body as stored
 */
record FrameHeader(Codec codec, int records, int rawLength, int length, long baseTimestamp, int bodyChecksum) {
    /** A byte of LZ4 stands for at most 255 bytes: what claims more is refused before memory is allocated for it. */
    private static final long MAX_LZ4_RATIO = 255;

    private static final int CHECKSUM_OFFSET = 28;

    /** Writes a frame's header. */
    static void write(Frame frame, byte[] target, int offset) {
        target[offset] = (byte) frame.codec().code();
        target[offset + 1] = 0;
        LittleEndian.writeShort(target, offset + 2, 0);
        LittleEndian.writeInt(target, offset + 4, frame.records());
        LittleEndian.writeInt(target, offset + 8, frame.rawLength());
        LittleEndian.writeInt(target, offset + 12, frame.length());
        LittleEndian.writeLong(target, offset + 16, frame.baseTimestamp());
        LittleEndian.writeInt(target, offset + 24, frame.bodyChecksum());
        LittleEndian.writeInt(target, offset + CHECKSUM_OFFSET, Checksum.of(target, offset, CHECKSUM_OFFSET));
    }

    /**
     * Reads a header of which all bytes are there.
     *
     * @param where names the frame in a failure
     * @throws BlobCorrupt fatal: the bytes are not a header
     */
    static FrameHeader read(byte[] source, int offset, Object where) {
        int expected = LittleEndian.readInt(source, offset + CHECKSUM_OFFSET);
        int actual = Checksum.of(source, offset, CHECKSUM_OFFSET);
        if (actual != expected) {
            throw corrupt(where, "its header's checksum is " + hex(actual) + ", not " + hex(expected));
        }
        if (source[offset + 1] != 0 || LittleEndian.readShort(source, offset + 2) != 0) {
            throw new BlobCorrupt("Cannot read a frame of " + where
                    + ": it uses flags that this version does not know. Upgrade the reader.");
        }
        Codec codec = Codec.of(source[offset], () -> "a frame of " + where);
        FrameHeader header = new FrameHeader(
                codec,
                LittleEndian.readInt(source, offset + 4),
                LittleEndian.readInt(source, offset + 8),
                LittleEndian.readInt(source, offset + 12),
                LittleEndian.readLong(source, offset + 16),
                LittleEndian.readInt(source, offset + 24));
        header.checkLengths(where);
        return header;
    }

    private void checkLengths(Object where) {
        boolean sound = length > 0
                && rawLength > 0
                && rawLength <= Frame.MAX_RAW_LENGTH
                && (codec == Codec.NONE ? length == rawLength : length < rawLength)
                && (codec != Codec.LZ4 || rawLength <= MAX_LZ4_RATIO * length)
                && records > 0
                && records <= rawLength / RecordLayout.MIN_ENCODED_SIZE;
        if (!sound) {
            throw corrupt(
                    where,
                    "its header is not sound: codec " + codec + ", " + records + " records, raw length " + rawLength
                            + ", length " + length);
        }
    }

    /** Bytes that the frame takes: header, body and padding. */
    int storedLength() {
        return Frame.HEADER_LENGTH + Frame.align(length);
    }

    static BlobCorrupt corrupt(Object where, String reason) {
        return new BlobCorrupt("Cannot read a frame of " + where + ": " + reason
                + ". Read it again; if that fails too, the stored bytes are damaged.");
    }

    static String hex(int checksum) {
        return String.format("%08x", checksum);
    }
}
