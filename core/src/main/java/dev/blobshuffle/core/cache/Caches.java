package dev.blobshuffle.core.cache;

import dev.blobshuffle.core.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;

/** Puts the caches of an instance together, in the order in which reads go through them: memory, disk, store. Stateless. */
public final class Caches {
    private Caches() {}

    /**
     * A store behind the caches that the options ask for, possibly none. Closing it closes the store. Blocks while it looks through the directories.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: a directory cannot be used, or another instance uses it
     */
    public static CachedBlobStore before(BlobStore store, CacheOptions options, ShuffleMetrics metrics, Time time) {
        return before(store, options, MemoryCachedBlobStore.Place.HEAP, metrics, time);
    }

    /**
     * The same for a process that does nothing but answer others: what is in memory lies outside the heap, from where it is sent without a copy. It has no array, so
     * nobody here can decode it.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: a directory cannot be used, or another instance uses it
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
