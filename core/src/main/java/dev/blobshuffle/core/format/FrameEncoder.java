package dev.blobshuffle.core.format;

/**
 * Turns raw bodies into frames: compresses a body in place where that makes it smaller, and computes its checksum. Holds the scratch memory of one codec.
 * Owned by one thread at a time.
 */
public final class FrameEncoder implements AutoCloseable {
    private final Codec codec;

    /**
     * An encoder.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the codec's library is not on the class path
     */
    public FrameEncoder(Codec codec) {
        codec.requireLibrary();
        this.codec = codec;
    }

    /**
     * Makes a frame of the records in {@code array[offset, offset + rawLength)}. A compressed body replaces the raw one at the same offset and is
     * shorter; bytes outside the range are not touched.
     *
     * @param records number of records in the range, as {@link RecordLayout} wrote them
     * @param baseTimestamp what the first record's delta refers to, milliseconds
     */
    public Frame encode(byte[] array, int offset, int rawLength, int records, long baseTimestamp) {
        throw new UnsupportedOperationException(codec.toString());
    }

    /** Frees the codec's native memory. Idempotent. */
    @Override
    public void close() {}
}
