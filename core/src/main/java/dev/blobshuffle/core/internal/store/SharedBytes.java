package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.store.BlobBytes;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bytes on loan to several readers, released when the last reader closes its view. Thread-safe;
 * each view has one reader.
 */
public final class SharedBytes {
    private final BlobBytes bytes;
    private final AtomicInteger readers;

    /** Shares bytes between a number of readers. Each must take a view and close it. */
    public SharedBytes(BlobBytes bytes, int readers) {
        this.bytes = bytes;
        this.readers = new AtomicInteger(readers);
    }

    /** One reader's view, with a position and limit of its own. */
    public BlobBytes view() {
        ByteBuffer buffer = bytes.buffer().duplicate();
        AtomicBoolean open = new AtomicBoolean(true);
        return new BlobBytes() {
            @Override
            public ByteBuffer buffer() {
                return buffer;
            }

            @Override
            public void close() {
                if (open.compareAndSet(true, false) && readers.decrementAndGet() == 0) {
                    bytes.close();
                }
            }
        };
    }
}
