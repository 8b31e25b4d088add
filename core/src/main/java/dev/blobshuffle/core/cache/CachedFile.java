package dev.blobshuffle.core.cache;

import java.nio.channels.FileChannel;

/** A part of a local file that holds a range of a blob, open for reading and on loan: the file stays until it is closed. Owned by whoever asked for it. */
public interface CachedFile extends AutoCloseable {
    /** The open file. Closed with this. */
    FileChannel channel();

    /** Where the range starts in the file, bytes. */
    long position();

    /** Length of the range, bytes. */
    long length();

    /** Gives the file back. Idempotent. */
    @Override
    void close();
}
