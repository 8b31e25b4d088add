package dev.blobshuffle.core.store;

import java.nio.ByteBuffer;
import java.util.List;

/** Content in an array that is not recycled. */
record ArrayContent(byte[] bytes) implements BlobContent {
    @Override
    public long length() {
        return bytes.length;
    }

    @Override
    public List<ByteBuffer> buffers() {
        return List.of(ByteBuffer.wrap(bytes).asReadOnlyBuffer());
    }

    @Override
    public void retain() {}

    @Override
    public void release() {}
}
