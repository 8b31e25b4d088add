package dev.blobshuffle.spark.internal.read;

import dev.blobshuffle.core.store.BlobId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The size of the windows of each shuffle. The reader of a partition needs one window of each blob,
 * and the readers of the next partitions need the same ones. So the windows of all blobs at one
 * place must fit into half the cache; otherwise each window would be evicted before its second
 * read. The more blobs a shuffle has, the smaller are its windows. It remembers 100 shuffles.
 * Thread-safe.
 */
public final class ShuffleWindows {
    private static final int MOST_SHUFFLES = 100;

    private final Windows largest;
    private final LongSupplier cacheBytes;
    private final Map<Integer, Shuffle> shuffles = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Shuffle> eldest) {
            return size() > MOST_SHUFFLES;
        }
    };

    /**
     * No shuffle yet.
     *
     * @param largest size of a window in bytes, if the cache has room for it
     * @param cacheBytes the room of all caches that share windows
     */
    public ShuffleWindows(long largest, LongSupplier cacheBytes) {
        this.largest = new Windows(largest);
        this.cacheBytes = cacheBytes;
    }

    private static final class Shuffle {
        private final Map<BlobId, Long> lengths = new HashMap<>();
        private Windows windows;
        private long sum;

        Shuffle(Windows windows) {
            this.windows = windows;
        }

        void add(BlobId blob, long length, long room) {
            if (lengths.put(blob, length) == null) {
                sum += Math.min(windows.bytes(), length);
            }
            while (sum > room) {
                windows = windows.half();
                sum = windows.sum(lengths.values());
            }
        }
    }

    /** A blob of a shuffle is not on the disk of its writer. */
    void add(int shuffle, BlobId blob, long length) {
        Windows ignored = of(shuffle, blob, length);
    }

    /** The windows of a shuffle, of which a blob is read from the store. */
    synchronized Windows of(int shuffle, BlobId blob, long length) {
        Shuffle known = shuffles.computeIfAbsent(shuffle, id -> new Shuffle(largest));
        known.add(blob, length, Math.max(0, cacheBytes.getAsLong() / 2));
        return known.windows;
    }
}
