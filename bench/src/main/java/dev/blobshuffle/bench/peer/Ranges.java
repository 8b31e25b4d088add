package dev.blobshuffle.bench.peer;

import java.io.IOException;

/** A server with the blobs of a {@link ServingRun}, as its readers see it. Thread-safe. */
interface Ranges extends AutoCloseable {
    /** The server's process. */
    long pid();

    /** Makes the server load a whole blob into the tier from which it serves it. */
    void load(int blob) throws IOException, InterruptedException;

    /** Reads a range. @return the CRC32C of the bytes */
    long checksum(int blob, int offset, int length) throws IOException, InterruptedException;

    /** Closes the connections and ends the server. */
    @Override
    void close();
}
