package dev.blobshuffle.core.store;

import java.nio.ByteBuffer;

/** Bytes that were read from a blob, on loan: the reader closes them when it has decoded what it needs, and does not touch them after. */
public interface BlobBytes extends AutoCloseable {
    /** The bytes, from position to limit; backed by an accessible array, but in a process that only passes them on. The caller may move position and limit, and not write. */
    ByteBuffer buffer();

    /** Gives the bytes back. Idempotent. */
    @Override
    void close();

    /** Bytes that nobody wants back. */
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
