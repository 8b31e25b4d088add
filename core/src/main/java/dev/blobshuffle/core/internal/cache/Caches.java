package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;

/**
 * Composes the caches of an instance. Reads pass through memory, disk and store, in this order.
 * Stateless.
 */
public final class Caches {
    private Caches() {}

    /**
     * A store behind the caches that the options define, possibly none. Closing it closes the
     * store. Blocks while it lists the cache directories.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: a directory cannot be
     *     used, or another instance uses it
     */
    public static CachedBlobStore before(BlobStore store, CacheOptions options, ShuffleMetrics metrics, Time time) {
        return before(store, options, MemoryCachedBlobStore.Place.HEAP, metrics, time);
    }

    /**
     * The same store for a process that only serves other members. It keeps cached bytes outside
     * the heap and sends them without a copy. These bytes have no array, so this process cannot
     * decode them.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: a directory cannot be
     *     used, or another instance uses it
     */
    public static CachedBlobStore toServe(BlobStore store, CacheOptions options, ShuffleMetrics metrics, Time time) {
        return before(store, options, MemoryCachedBlobStore.Place.OUTSIDE_HEAP, metrics, time);
    }

    private static CachedBlobStore before(
            BlobStore store,
            CacheOptions options,
            MemoryCachedBlobStore.Place place,
            ShuffleMetrics metrics,
            Time time) {
        CachedBlobStore cached = Uncached.of(store);
        if (!options.diskDirectories().isEmpty()) {
            cached = new DiskCachedBlobStore(cached, options, metrics, time);
        }
        return options.memoryBytes() == 0 ? cached : new MemoryCachedBlobStore(cached, options, place, metrics);
    }
}
