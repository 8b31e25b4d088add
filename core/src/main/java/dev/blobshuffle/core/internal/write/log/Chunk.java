package dev.blobshuffle.core.internal.write.log;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A run of memory that one output of a lane fills from the start, and one link of that output's
 * log. Counted by reference: the log holds one while it may still write or cut here, and each
 * sealed slice holds one; with the last the memory goes back to its pool.
 *
 * <p>Threads: the array is written by the lane's thread, beyond what it has published; a published
 * range is read, and compressed in place, by whoever sealed it. The closing fields are written by
 * the lane's thread before it publishes the next chunk, and read after that.
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

    /** A chunk without memory: what an idle output stands on. */
    static Chunk empty() {
        return new Chunk(NOTHING, null);
    }

    public byte[] array() {
        return array;
    }

    /** Ends the chunk where the log goes on in another one. */
    void continueIn(Chunk following, int position, long records, long timestamp) {
        end = position;
        endRecords = records;
        endTimestamp = timestamp;
        next = following;
    }

    /** The chunk in which the log goes on. Legal once the log has published that it does. */
    Chunk next() {
        Chunk following = next;
        if (following == null) {
            throw new IllegalStateException("Cannot follow a log: its last chunk has no successor.");
        }
        return following;
    }

    /** Bytes in use, once the log has gone on. */
    int end() {
        return end;
    }

    /** Records of the log up to the end of this chunk, once the log has gone on. */
    long endRecords() {
        return endRecords;
    }

    /** Timestamp of the log's last record at the end of this chunk, once the log has gone on. */
    long endTimestamp() {
        return endTimestamp;
    }

    /** Takes a reference. Only legal while somebody else holds one. */
    void retain() {
        if (references.getAndIncrement() < 1) {
            throw new IllegalStateException("Cannot retain a chunk: it is already recycled.");
        }
    }

    /** Gives a reference back; with the last one the memory is recycled. */
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
