package dev.blobshuffle.core.format;

import org.jspecify.annotations.Nullable;

/**
 * Turns raw bodies into frames: compresses a body in place where that makes it smaller, and computes its checksum. Holds the scratch memory of one codec,
 * at most {@value #MAX_KEPT_SCRATCH} bytes between calls. Owned by one thread at a time.
 */
public final class FrameEncoder implements AutoCloseable {
    /** A huge record's scratch is not kept: one of them must not cost every worker its size for ever. */
    private static final int MAX_KEPT_SCRATCH = 1 << 20;

    private final Codec codec;
    private final @Nullable Compression compression;
    private byte[] scratch = {};

    /**
     * An encoder.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the codec's library is not on the class path
     */
    public FrameEncoder(Codec codec) {
        codec.requireLibrary();
        this.codec = codec;
        compression = codec == Codec.NONE ? null : codec.compression();
    }

    /**
     * Makes a frame of the records in {@code array[offset, offset + rawLength)}. A compressed body replaces the raw one at the same offset and is
     * shorter; bytes outside the range are not touched.
     *
     * @param records number of records in the range, as {@link RecordLayout} wrote them
     * @param baseTimestamp what the first record's delta refers to, milliseconds
     */
    public Frame encode(byte[] array, int offset, int rawLength, int records, long baseTimestamp) {
        int length = compression == null ? rawLength : compressInPlace(compression, array, offset, rawLength);
        Codec used = length < rawLength ? codec : Codec.NONE;
        int checksum = Checksum.of(array, offset, length);
        return new Frame(array, offset, length, rawLength, records, baseTimestamp, used, checksum);
    }

    private int compressInPlace(Compression compression, byte[] array, int offset, int rawLength) {
        int needed = compression.maxCompressedLength(rawLength);
        byte[] target = needed <= scratch.length ? scratch : new byte[needed];
        if (needed <= MAX_KEPT_SCRATCH) {
            scratch = target;
        }
        int length = compression.compress(array, offset, rawLength, target);
        if (length >= rawLength) {
            return rawLength;
        }
        System.arraycopy(target, 0, array, offset, length);
        return length;
    }

    /** Frees the codec's native memory. Idempotent. */
    @Override
    public void close() {
        if (compression != null) {
            compression.close();
        }
    }
}
