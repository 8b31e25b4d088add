package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.internal.concurrent.References;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobSection;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Content that shares its memory, and the references to it, with other users. Thread-safe.
 *
 * @param bytes the content; its own references are not used
 * @param sections the sections with their zones; empty if unknown
 * @param references the references to the memory; this content adds none of its own
 */
public record SharedContent(BlobContent bytes, List<BlobSection> sections, References references)
        implements BlobContent {
    /** Copies the list of sections. */
    public SharedContent {
        sections = List.copyOf(sections);
    }

    @Override
    public long length() {
        return bytes.length();
    }

    @Override
    public List<ByteBuffer> buffers() {
        return bytes.buffers();
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
