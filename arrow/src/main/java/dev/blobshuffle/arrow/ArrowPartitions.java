package dev.blobshuffle.arrow;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.flight.FlightShuffles;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamReader;

/** Reads partitions of shuffles into vectors of arrow-java. Stateless. */
public final class ArrowPartitions {
    private ArrowPartitions() {}

    /**
     * Reads a partition of a committed shuffle, map by map, in any codec of the format. Close the
     * reader. It keeps two frames in memory, in addition to the batch in its root.
     *
     * <p>{@code loadNextBatch} throws the exceptions of {@link FlightShuffles}:
     * {@link BlobMissingException}, {@link BlobCorruptException} or
     * {@link StoreUnavailableException}. It returns false only when the rows of all maps have
     * arrived with matching checksums. If it throws, discard the previous batches.
     *
     * @param partition counted from 0
     * @param allocator of the vectors; the reader does not close it
     * @throws BlobMissingException recoverable: run the maps that it names again
     * @throws StoreUnavailableException recoverable: retry
     * @throws InvalidSettingsException fatal: the shuffle is not committed, or the token is wrong
     */
    public static ArrowReader read(FlightShuffles shuffles, String shuffle, int partition, BufferAllocator allocator) {
        InputStream bytes = shuffles.read(shuffle, partition);
        // Arrow's memory is outside the heap. A stream would copy each byte twice, 8 KiB at a time.
        ReadableByteChannel channel = bytes instanceof ReadableByteChannel direct ? direct : Channels.newChannel(bytes);
        return new ArrowStreamReader(channel, allocator, ArrowCompression.INSTANCE);
    }
}
