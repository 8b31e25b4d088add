package dev.blobshuffle.bench.peer;

import java.io.IOException;

/**
 * A server with the blobs of a {@link ServingRun}, as those who read ranges of them see it.
 * Thread-safe.
 */
interface Ranges extends AutoCloseable {
    /** The server's process. */
    long pid();

    /** Has the server take a whole blob to where it will serve it from. */
    void load(int blob) throws IOException, InterruptedException;

    /** Reads a range. @return the CRC32C of what came */
    long checksum(int blob, int offset, int length) throws IOException, InterruptedException;

    /** Ends the server too. */
    @Override
    void close();
}
