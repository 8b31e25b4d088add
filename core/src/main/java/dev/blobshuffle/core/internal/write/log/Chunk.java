package dev.blobshuffle.core.internal.write.log;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A piece of memory that one output of a lane fills from its start, and one link of that output's
 * log. Reference-counted: the log holds a reference while it may still write or cut here, and each
 * sealed slice holds one. Releasing the last reference returns the memory to its pool.
 *
 * <p>Threads: the lane's thread writes the array beyond the published range. The owner of a sealed
 * slice reads its range and compresses it in place. The lane's thread writes the closing fields
 * before it publishes the next chunk; others read them after that.
 */
public final class Chunk {
    private static final byte[] NOTHING = {};

    private final byte[] array;
    private final @Nullable ChunkPool pool;
    private final AtomicInteger references = new AtomicInteger(1);

    private @Nullable Chunk next;
    private int end;
    private long endRecords;
    private long endTimestamp;

    Chunk(byte[] array, @Nullable ChunkPool pool) {
        this.array = array;
        this.pool = pool;
    }

    /** A chunk without memory, for an idle output. */
    static Chunk empty() {
        return new Chunk(NOTHING, null);
    }

    public byte[] array() {
        return array;
    }

    /** Ends this chunk at a position; the log continues in another chunk. */
    void continueIn(Chunk following, int position, long records, long timestamp) {
        end = position;
        endRecords = records;
        endTimestamp = timestamp;
        next = following;
    }

    /** The chunk in which the log continues. Legal once the log has published that chunk. */
    Chunk next() {
        Chunk following = next;
        if (following == null) {
            throw new IllegalStateException("Cannot follow a log: its last chunk has no successor.");
        }
        return following;
    }

    /** Bytes in use. Valid once the log continues in another chunk. */
    int end() {
        return end;
    }

    /**
     * Records of the log up to the end of this chunk. Valid once the log continues in another
     * chunk.
     */
    long endRecords() {
        return endRecords;
    }

    /**
     * Timestamp of the last record before the end of this chunk. Valid once the log continues in
     * another chunk.
     */
    long endTimestamp() {
        return endTimestamp;
    }

    /** Adds a reference. Legal only while another reference is held. */
    void retain() {
        if (references.getAndIncrement() < 1) {
            throw new IllegalStateException("Cannot retain a chunk: it is already recycled.");
        }
    }

    /** Releases a reference. Releasing the last one recycles the memory. */
    public void release() {
        int left = references.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("Cannot release a chunk: it is already recycled.");
        }
        if (left == 0 && pool != null) {
            pool.recycle(array);
        }
    }
}
