package dev.blobshuffle.core.store;

import java.nio.ByteBuffer;

/**
 * Bytes read from a blob, on loan to the reader. The reader closes them after decoding and does not
 * use them afterwards.
 */
public interface BlobBytes extends AutoCloseable {
    /**
     * The bytes, from position to limit. They are backed by an accessible array, except in a
     * process that only passes them on. The caller may move position and limit but must not write.
     */
    ByteBuffer buffer();

    /** Releases the bytes. Idempotent. */
    @Override
    void close();

    /** Bytes that need no release. */
    static BlobBytes of(ByteBuffer buffer) {
        return new BlobBytes() {
            @Override
            public ByteBuffer buffer() {
                return buffer;
            }

            @Override
            public void close() {}
        };
    }
}
