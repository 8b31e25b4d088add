package dev.blobshuffle.flightdaemon.internal.blob;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The budget for blobs in memory. When it is full, the oldest blobs move to a directory.
 * Thread-safe: guarded by itself.
 */
final class MemoryTier {
    private final long budget;
    private final Map<StoredBlob, Shuffle> oldest = new LinkedHashMap<>();
    private long used;
    private long moved;

    /** A tier with a budget in bytes; 0: nothing stays in memory. */
    MemoryTier(long budget) {
        this.budget = budget;
    }

    /**
     * Reserves bytes for a blob. If there is no room, moves older blobs to a directory, which
     * blocks.
     *
     * @return whether the bytes are reserved
     */
    boolean reserve(long bytes) {
        while (bytes <= budget) {
            Map.Entry<StoredBlob, Shuffle> next;
            synchronized (this) {
                if (used + bytes <= budget) {
                    used += bytes;
                    return true;
                }
                if (oldest.isEmpty()) {
                    return false;
                }
                next = oldest.entrySet().iterator().next();
                oldest.remove(next.getKey());
            }
            if (!next.getValue().moveToDirectory(next.getKey())) {
                add(next.getKey(), next.getValue());
                return false;
            }
            synchronized (this) {
                moved++;
            }
        }
        return false;
    }

    /** Adds a blob whose bytes are reserved. From now on it can move to a directory. */
    synchronized void add(StoredBlob blob, Shuffle shuffle) {
        oldest.put(blob, shuffle);
    }

    /** Removes a blob that was released. */
    synchronized void remove(StoredBlob blob) {
        oldest.remove(blob);
    }

    /** Returns the bytes of a blob that has no more users. */
    synchronized void giveBack(long bytes) {
        used -= bytes;
    }

    synchronized long usedBytes() {
        return used;
    }

    /** The number of blobs that moved to a directory for lack of room. */
    synchronized long movedBlobs() {
        return moved;
    }
}
