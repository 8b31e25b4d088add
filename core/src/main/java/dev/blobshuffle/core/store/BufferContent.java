package dev.blobshuffle.core.store;

import dev.blobshuffle.core.internal.concurrent.References;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Content in buffers. Each view is a duplicate. Thread-safe. */
final class BufferContent implements BlobContent {
    private final List<ByteBuffer> buffers;
    private final References references;
    private final long length;

    /** The bytes from each buffer's position to its limit. */
    BufferContent(List<ByteBuffer> buffers, Runnable whenReleased) {
        this.buffers = List.copyOf(buffers);
        references = new References(1, () -> "content", whenReleased);
        long bytes = 0;
        for (ByteBuffer buffer : this.buffers) {
            bytes += buffer.remaining();
        }
        length = bytes;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public List<ByteBuffer> buffers() {
        List<ByteBuffer> views = new ArrayList<>(buffers.size());
        for (ByteBuffer buffer : buffers) {
            views.add(buffer.duplicate());
        }
        return views;
    }

    @Override
    public void retain() {
        references.retain();
    }

    @Override
    public void release() {
        references.release();
    }
}
