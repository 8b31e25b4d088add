package dev.blobshuffle.testkit;

import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobSection;
import java.nio.ByteBuffer;
import java.util.List;

/** Content that tells which part is for which zone. */
record SectionedContent(BlobContent content, List<BlobSection> sections) implements BlobContent {
    @Override
    public long length() {
        return content.length();
    }

    @Override
    public List<ByteBuffer> buffers() {
        return content.buffers();
    }

    @Override
    public void retain() {
        content.retain();
    }

    @Override
    public void release() {
        content.release();
    }
}
