package dev.blobshuffle.core.internal.format;

/**
 * One compression library, behind {@link Codec}. May hold native memory. Owned by one thread at a
 * time.
 */
public interface Compression extends AutoCloseable {
    /** The largest size to which a body may be compressed, bytes. */
    int maxCompressedLength(int length);

    /**
     * Compresses {@code source[offset, offset + length)} to the start of the target, which has the
     * maximum size. Returns the compressed size.
     */
    int compress(byte[] source, int offset, int length, byte[] target);

    /**
     * Decompresses {@code source[offset, offset + length)} to the start of the target.
     *
     * @return whether the input was valid and resulted in exactly {@code rawLength} bytes
     */
    boolean decompress(byte[] source, int offset, int length, byte[] target, int rawLength);

    /** Frees native memory. Idempotent. */
    @Override
    void close();
}
