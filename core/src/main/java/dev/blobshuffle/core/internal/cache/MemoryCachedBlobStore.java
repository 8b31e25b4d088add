package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.store.BlobStore;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * A store with a cache in memory (the BlobShuffle paper, section 3.3, "local cache"). It evicts the
 * least recently used part first. It loads whole sections or single ranges ({@link CacheUnit});
 * concurrent callers share one load. It answers with slices of the cached parts, without a copy.
 * Sections written for the own zone are copied once, because the write buffer is recycled.
 *
 * <p>Cached entries, entries in use, and bytes being loaded together never exceed the capacity. A
 * read passes through uncached if all entries are in use, or if the part is larger than half the
 * capacity. Thread-safe.
 */
public final class MemoryCachedBlobStore extends ForwardingBlobStore implements CachedBlobStore {
    /** The location of the cached bytes. */
    enum Place {
        /** In the arrays that the store returned. Readers in this process share them. */
        HEAP,
        /** In direct memory, copied once. Sockets send them without a further copy. */
        OUTSIDE_HEAP
    }

    private final CachedBlobStore below;
    private final CacheOptions options;
    private final Place place;
    private final ShuffleMetrics metrics;
    private final LeasedEntries<BlobBytes> entries;
    private final long largestPart;
    private final ConcurrentMap<CachedPart, MemoryLoad> loads = new ConcurrentHashMap<>();

    /**
     * Loads from places other than the store. They are kept separately, because members that load
     * from one another would otherwise wait for each other for ever.
     */
    private final ConcurrentMap<CachedPart, MemoryLoad> loadsBy = new ConcurrentHashMap<>();

    private final ShuffleMetrics.Registration gauge;
    private volatile boolean isClosed;

    /** A cache of {@link CacheOptions#memoryBytes()} before a store. */
    public MemoryCachedBlobStore(BlobStore store, CacheOptions options, ShuffleMetrics metrics) {
        this(store, options, Place.HEAP, metrics);
    }

    MemoryCachedBlobStore(BlobStore store, CacheOptions options, Place place, ShuffleMetrics metrics) {
        super(store);
        this.place = place;
        this.below = Uncached.of(store);
        this.options = options;
        this.metrics = metrics;
        entries = new LeasedEntries<>(
                options.memoryBytes(),
                BlobBytes::close,
                evicted -> metrics.add(Counter.CACHE_MEMORY_EVICTIONS, evicted));
        largestPart = Math.min(Math.max(1, options.memoryBytes() / 2), Integer.MAX_VALUE - 8);
        gauge = metrics.report(Gauge.CACHE_MEMORY_USED, entries::used);
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        keep(id, content);
        return store().put(id, content);
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content, Runnable whenReadable) {
        keep(id, content);
        return store().put(id, content, whenReadable);
    }

    private void keep(BlobId id, BlobContent content) {
        if (!isClosed) {
            // The section is cached before the put, so that every reader that learns of the blob
            // finds it here.
            for (BlobSection section : content.sections()) {
                if (options.keeps(section.zone())) {
                    keep(id, content, section);
                }
            }
        }
    }

    private void keep(BlobId id, BlobContent content, BlobSection section) {
        CachedPart part = new CachedPart(id, section.offset(), section.length());
        LeasedEntries<BlobBytes>.Lease present = entries.lease(part);
        if (present != null) {
            present.close(); // This put is a repeated attempt.
        } else if (section.length() <= largestPart && reserve(section.length())) {
            try {
                ByteBuffer copy = copy(content, section);
                entries.insert(part, BlobBytes.of(copy), section.length()).close();
            } catch (OutOfMemoryError e) {
                entries.giveBack(section.length()); // The blob is still stored.
                metrics.add(Counter.CACHE_MEMORY_REFUSALS, 1);
            } catch (RuntimeException e) {
                entries.giveBack(section.length());
                throw e;
            }
        }
    }

    private static ByteBuffer copy(BlobContent content, BlobSection section) {
        ByteBuffer copy = ByteBuffer.allocate(Math.toIntExact(section.length()));
        long at = 0;
        for (ByteBuffer buffer : content.buffers()) {
            long from = Math.max(section.offset(), at);
            long to = Math.min(section.end(), at + buffer.remaining());
            if (from < to) {
                copy.put(buffer.slice((int) (buffer.position() + from - at), (int) (to - from)));
            }
            at += buffer.remaining();
        }
        return copy.flip();
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        return get(store(), loads, id, range);
    }

    @Override
    public CompletionStage<BlobBytes> getBy(BlobStore source, BlobId id, BlobRange range) {
        return get(source, loadsBy, id, range);
    }

    private CompletionStage<BlobBytes> get(
            BlobStore source, ConcurrentMap<CachedPart, MemoryLoad> loading, BlobId id, BlobRange range) {
        if (isClosed) {
            return CompletableFuture.failedFuture(closed(id));
        }
        if (range.isAfresh()) {
            forget(id, range);
            return source.get(id, range);
        }
        Optional<BlobBytes> here = held(id, range);
        if (here.isPresent()) {
            return CompletableFuture.completedFuture(here.get());
        }
        metrics.add(Counter.CACHE_MEMORY_MISSES, 1);
        BlobRange unit = options.unit() == CacheUnit.SECTION ? range.section() : range;
        return unit.length() > largestPart ? source.get(id, range) : load(source, loading, id, unit, range);
    }

    @Override
    public Optional<BlobBytes> held(BlobId id, BlobRange range) {
        LeasedEntries<BlobBytes>.Lease lease = entries.lease(CachedPart.section(id, range));
        if (lease == null) {
            lease = entries.lease(CachedPart.exactly(id, range));
        }
        if (lease == null) {
            return Optional.empty();
        }
        metrics.add(Counter.CACHE_MEMORY_HITS, 1);
        metrics.add(Counter.CACHE_MEMORY_BYTES, range.length());
        return Optional.of(LeasedBytes.of(lease, range));
    }

    @Override
    public Optional<CachedFile> file(BlobId id, BlobRange range) {
        return below.file(id, range);
    }

    @Override
    public Optional<CompletionStage<BlobBytes>> cached(BlobId id, BlobRange range) {
        Optional<BlobBytes> here = held(id, range);
        return here.isPresent() ? Optional.of(CompletableFuture.completedFuture(here.get())) : below.cached(id, range);
    }

    private CompletionStage<BlobBytes> load(
            BlobStore source,
            ConcurrentMap<CachedPart, MemoryLoad> loading,
            BlobId id,
            BlobRange unit,
            BlobRange range) {
        CachedPart part = CachedPart.exactly(id, unit);
        while (true) {
            MemoryLoad own = new MemoryLoad(part, entries, loading, this::settled);
            CompletableFuture<BlobBytes> result = own.begin(range);
            MemoryLoad other = loading.putIfAbsent(part, own);
            if (other == null) {
                start(own, unit, source);
                return result;
            }
            CompletableFuture<BlobBytes> shared = other.join(range);
            if (shared != null) {
                return shared;
            }
            loading.remove(part, other); // The other load has just ended, perhaps without an entry.
            Optional<BlobBytes> here = held(id, range);
            if (here.isPresent()) {
                return CompletableFuture.completedFuture(here.get());
            }
        }
    }

    private void start(MemoryLoad load, BlobRange unit, BlobStore source) {
        // Another load of the part may have ended after the lookup and before this load started.
        LeasedEntries<BlobBytes>.Lease present = entries.lease(load.part());
        if (present != null) {
            load.land(present);
        } else if (reserve(unit.length())) {
            load.ask(source, unit);
        } else {
            load.passOn(source);
        }
    }

    /** Converts bytes from the store into the form in which they are kept. */
    private BlobBytes settled(BlobBytes loaded) {
        if (place == Place.HEAP) {
            return loaded;
        }
        try {
            ByteBuffer outside = ByteBuffer.allocateDirect(loaded.buffer().remaining());
            outside.put(loaded.buffer().duplicate()).flip();
            loaded.close();
            return BlobBytes.of(outside);
        } catch (OutOfMemoryError e) {
            return loaded; // Bytes on the heap are as good, but slower to send.
        }
    }

    private boolean reserve(long bytes) {
        boolean fits = entries.reserve(bytes);
        if (!fits) {
            metrics.add(Counter.CACHE_MEMORY_REFUSALS, 1);
        }
        return fits;
    }

    private void forget(BlobId id, BlobRange range) {
        for (CachedPart part : new CachedPart[] {CachedPart.section(id, range), CachedPart.exactly(id, range)}) {
            loads.remove(part);
            loadsBy.remove(part);
            entries.forget(part);
        }
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        Set<BlobId> gone = Set.copyOf(ids);
        entries.forget(part -> gone.contains(part.blob()));
        return store().delete(ids);
    }

    /** Bytes that the cache occupies. */
    public long usedBytes() {
        return entries.used();
    }

    /** Empties the cache; bytes on loan stay valid. Closes the store below. Idempotent. */
    @Override
    public void close() {
        isClosed = true;
        entries.close();
        gauge.close();
        super.close();
    }

    private ClosedException closed(BlobId id) {
        return new ClosedException("Cannot read blob " + id + ": the cache before " + location()
                + " is closed. Close the store after everything that uses it.");
    }
}
