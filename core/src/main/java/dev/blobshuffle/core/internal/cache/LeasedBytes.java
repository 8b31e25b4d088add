package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import java.nio.ByteBuffer;

/** One reader's slice of a cached part. Owned by the reader. */
final class LeasedBytes implements BlobBytes {
    private final LeasedEntries<BlobBytes>.Lease lease;
    private final ByteBuffer slice;

    private LeasedBytes(LeasedEntries<BlobBytes>.Lease lease, ByteBuffer slice) {
        this.lease = lease;
        this.slice = slice;
    }

    /** A range of a leased part. Takes ownership of the lease. */
    static LeasedBytes of(LeasedEntries<BlobBytes>.Lease lease, BlobRange range) {
        ByteBuffer part = lease.value().buffer();
        int start = part.position() + (int) (range.offset() - lease.part().offset());
        return new LeasedBytes(lease, part.slice(start, (int) range.length()));
    }

    @Override
    public ByteBuffer buffer() {
        return slice;
    }

    @Override
    public void close() {
        lease.close();
    }
}
