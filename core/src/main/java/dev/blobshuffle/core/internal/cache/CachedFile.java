package dev.blobshuffle.core.internal.cache;

import java.nio.channels.FileChannel;

/**
 * A part of a local file that holds a range of a blob, open for reading. The file is not removed
 * until this is closed. Owned by the caller that asked for it.
 */
public interface CachedFile extends AutoCloseable {
    /** The open file, closed together with this. */
    FileChannel channel();

    /** The start of the range in the file, bytes. */
    long position();

    /** Length of the range, bytes. */
    long length();

    /** Returns the file to the cache. Idempotent. */
    @Override
    void close();
}
