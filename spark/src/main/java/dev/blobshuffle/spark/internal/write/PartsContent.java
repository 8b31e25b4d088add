package dev.blobshuffle.spark.internal.write;

import dev.blobshuffle.core.store.BlobContent;
import java.nio.ByteBuffer;
import java.util.List;

/** The bytes of a blob in buffers that need no release. Immutable. */
final class PartsContent implements BlobContent {
    private final List<ByteBuffer> parts;
    private final long length;

    PartsContent(List<ByteBuffer> parts) {
        this.parts = List.copyOf(parts);
        length = parts.stream().mapToLong(ByteBuffer::remaining).sum();
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public List<ByteBuffer> buffers() {
        return parts.stream().map(ByteBuffer::asReadOnlyBuffer).toList();
    }

    @Override
    public void retain() {}

    @Override
    public void release() {}
}
