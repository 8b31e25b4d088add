package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.store.BlobRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;

/** A range in a file of the disk cache, open and leased. */
final class LeasedFile implements CachedFile {
    private final LeasedEntries<PartFile>.Lease lease;
    private final FileChannel channel;
    private final long position;
    private final long length;

    /** Opens the file. Takes ownership of the lease if that succeeds. */
    LeasedFile(LeasedEntries<PartFile>.Lease lease, BlobRange range) {
        this.lease = lease;
        position = range.offset() - lease.part().offset();
        length = range.length();
        try {
            channel = lease.value().open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public FileChannel channel() {
        return channel;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lease.close();
        }
    }
}
