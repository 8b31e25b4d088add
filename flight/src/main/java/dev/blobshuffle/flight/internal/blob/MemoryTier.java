package dev.blobshuffle.flight.internal.blob;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The budget of blobs that stay in memory. When it is full, the oldest go to a directory.
 * Thread-safe: guarded by itself.
 */
final class MemoryTier {
    private final long budget;
    private final Map<StoredBlob, Shuffle> oldest = new LinkedHashMap<>();
    private long used;
    private long moved;

    /** A tier of so many bytes; 0: nothing stays in memory. */
    MemoryTier(long budget) {
        this.budget = budget;
    }

    /**
     * Takes bytes for a blob. Moves older blobs to a directory if there is no room, which blocks.
     *
     * @return whether the caller has the bytes
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

    /** Says that a blob whose bytes were reserved is in memory, so that it can be moved. */
    synchronized void add(StoredBlob blob, Shuffle shuffle) {
        oldest.put(blob, shuffle);
    }

    /** Says that a blob was released. */
    synchronized void remove(StoredBlob blob) {
        oldest.remove(blob);
    }

    /** Gives back the bytes of a blob that has no more users. */
    synchronized void giveBack(long bytes) {
        used -= bytes;
    }

    synchronized long usedBytes() {
        return used;
    }

    /** How many blobs went to a directory because there was no room. */
    synchronized long movedBlobs() {
        return moved;
    }
}
