package dev.blobshuffle.flight.internal.blob;

import dev.blobshuffle.core.failure.Closed;
import dev.blobshuffle.core.store.BlobContent;
import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The bytes of an open blob on their way to a store, read piece by piece while they are sent, until
 * the copy is abandoned. The caller closes the blob after the request.
 */
final class OpenContent implements BlobContent {
    private static final int PIECE = 256 << 10;

    private final OpenBlob blob;
    private final BooleanSupplier isAbandoned;

    /** @param isAbandoned whether the next piece is refused, which ends the request */
    OpenContent(OpenBlob blob, BooleanSupplier isAbandoned) {
        this.blob = blob;
        this.isAbandoned = isAbandoned;
    }

    @Override
    public long length() {
        return blob.length();
    }

    @Override
    public List<ByteBuffer> buffers() {
        return new AbstractList<>() {
            @Override
            public ByteBuffer get(int index) {
                if (isAbandoned.getAsBoolean()) {
                    throw new Closed("Cannot copy a blob: the daemon ends. It is copied after the next start.");
                }
                long offset = (long) index * PIECE;
                ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE, blob.length() - offset));
                blob.fill(offset, piece);
                return piece.flip();
            }

            @Override
            public int size() {
                return Math.toIntExact((blob.length() + PIECE - 1) / PIECE);
            }
        };
    }

    @Override
    public void retain() {}

    @Override
    public void release() {}
}
