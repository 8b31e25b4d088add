package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.internal.concurrent.References;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobSection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Content in buffers, with references that others may count too. Thread-safe. */
public final class BufferContent implements BlobContent {
    private final List<ByteBuffer> buffers;
    private final List<BlobSection> sections;
    private final References references;
    private final long length;

    /**
     * Content in buffers.
     *
     * @param buffers the bytes from each buffer's position to its limit; each view is a duplicate
     * @param sections the sections with their zones; empty if unknown
     * @param references of the buffers; this content adds none
     */
    public BufferContent(List<ByteBuffer> buffers, List<BlobSection> sections, References references) {
        this.buffers = List.copyOf(buffers);
        this.sections = List.copyOf(sections);
        this.references = references;
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
    public List<BlobSection> sections() {
        return sections;
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
