package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.SharedBytes;
import dev.blobshuffle.core.internal.store.StoreTasks;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store with a cache on local disks, in one or more directories. The cache survives restarts, so
 * a restarted process does not download its parts again. It is bounded in bytes and evicts the
 * least recently used part first; after a restart, the part written first. Every read verifies
 * checksums.
 *
 * <p>Background tasks keep parts that were read whole, and sections written for the own zone. A
 * slow, full or broken disk only means that fewer parts are kept. This store belongs below a cache
 * in memory, which asks for whole parts and for each once. Thread-safe.
 */
public final class DiskCachedBlobStore extends ForwardingBlobStore implements CachedBlobStore {
    /** The largest cached part, because a read puts the part into one array. */
    static final long LARGEST_PART = 1 << 30;

    private static final Logger LOG = LoggerFactory.getLogger(DiskCachedBlobStore.class);
    /** How long {@link #close()} waits for a hanging disk. */
    private static final Duration LONGEST_WRITE = Duration.ofSeconds(10);

    private static final int READERS = 2;
    private static final int WRITERS = 2;

    /** Most bytes that wait to be written. Beyond this limit further parts are not kept. */
    private static final long PENDING_BYTES = 64 << 20;

    private final CachedBlobStore below;
    private final CacheOptions options;
    private final ShuffleMetrics metrics;
    private final List<CacheDirectory> directories;
    private final StoreTasks reads;
    private final StoreTasks writes;
    private final AtomicLong pendingBytes = new AtomicLong();
    private final AtomicInteger changes = new AtomicInteger();
    private final Signal rest;
    private final Time time;
    private final ShuffleMetrics.Registration gauge;
    private volatile boolean isClosed;

    /**
     * Opens the cache in the directories of the options, with their earlier content. Blocks.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: a directory cannot be
     *     used, or another instance uses it
     */
    public DiskCachedBlobStore(BlobStore store, CacheOptions options, ShuffleMetrics metrics, Time time) {
        super(store);
        this.below = Uncached.of(store);
        this.options = options;
        this.metrics = metrics;
        this.time = time;
        rest = time.signal();
        directories = open(store, options, metrics, time);
        reads = new StoreTasks(time.workers("blobshuffle-cache-read", READERS), "the disk cache");
        writes = new StoreTasks(time.workers("blobshuffle-cache-write", WRITERS), "the disk cache");
        gauge = metrics.report(
                Gauge.CACHE_DISK_USED,
                () -> directories.stream()
                        .mapToLong(directory -> directory.entries().used())
                        .sum());
    }

    private static List<CacheDirectory> open(BlobStore store, CacheOptions options, ShuffleMetrics metrics, Time time) {
        List<CacheDirectory> opened = new ArrayList<>();
        long capacity = Math.max(
                1, options.diskBytes() / Math.max(1, options.diskDirectories().size()));
        try {
            for (Path path : options.diskDirectories()) {
                opened.add(CacheDirectory.open(
                        path,
                        store.fingerprint(),
                        capacity,
                        time,
                        evicted -> metrics.add(Counter.CACHE_DISK_EVICTIONS, evicted)));
            }
        } catch (RuntimeException | Error e) {
            opened.forEach(CacheDirectory::close);
            throw e;
        }
        return List.copyOf(opened);
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
            for (BlobSection section : content.sections()) {
                if (options.keeps(section.zone())) {
                    keep(id, content, section);
                }
            }
        }
    }

    private void keep(BlobId id, BlobContent content, BlobSection section) {
        CachedPart part = new CachedPart(id, section.offset(), section.length());
        LeasedEntries<PartFile>.Lease present = lease(part);
        if (present != null) {
            present.close(); // This put is a repeated attempt.
        } else if (acquire(part.length())) {
            content.retain();
            write(part, () -> slice(content, section), content::release);
        }
    }

    private static List<ByteBuffer> slice(BlobContent content, BlobSection section) {
        List<ByteBuffer> slices = new ArrayList<>();
        long at = 0;
        for (ByteBuffer buffer : content.buffers()) {
            long from = Math.max(section.offset(), at);
            long to = Math.min(section.end(), at + buffer.remaining());
            if (from < to) {
                slices.add(buffer.slice((int) (buffer.position() + from - at), (int) (to - from)));
            }
            at += buffer.remaining();
        }
        return slices;
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        if (isClosed) {
            return CompletableFuture.failedFuture(
                    new ClosedException("Cannot read blob " + id + ": the disk cache before " + location()
                            + " is closed. Close the store after everything that uses it."));
        }
        if (range.isAfresh()) {
            var ignored = forget(
                    part -> part.equals(CachedPart.section(id, range)) || part.equals(CachedPart.exactly(id, range)));
            return store().get(id, range);
        }
        LeasedEntries<PartFile>.Lease lease = find(id, range);
        if (lease != null) {
            return read(lease, id, range);
        }
        metrics.add(Counter.CACHE_DISK_MISSES, 1);
        boolean isUnit = options.unit() == CacheUnit.SEGMENT || range.length() == range.sectionLength();
        if (!isUnit) {
            return store().get(id, range);
        }
        RelayedRead read = new RelayedRead();
        read.take(
                () -> store().get(id, range),
                (bytes, failure) ->
                        read.end(bytes == null ? null : keep(CachedPart.exactly(id, range), bytes), failure));
        return read;
    }

    /** Bytes that another member has on its disk are not written to this one as well. */
    @Override
    public CompletionStage<BlobBytes> getBy(BlobStore place, BlobId id, BlobRange range) {
        return below.getBy(place, id, range);
    }

    /** Shares bytes with a write in the background. */
    private BlobBytes keep(CachedPart part, BlobBytes bytes) {
        if (bytes.buffer().remaining() != part.length() || !acquire(part.length())) {
            return bytes;
        }
        SharedBytes shared = new SharedBytes(bytes, 2);
        BlobBytes kept = shared.view();
        write(part, () -> List.of(kept.buffer()), kept::close);
        return shared.view();
    }

    private boolean acquire(long bytes) {
        boolean fits = bytes <= LARGEST_PART && pendingBytes.addAndGet(bytes) <= PENDING_BYTES;
        if (!fits) {
            if (bytes <= LARGEST_PART) {
                pendingBytes.addAndGet(-bytes);
            }
            metrics.add(Counter.CACHE_DISK_REFUSALS, 1);
        }
        return fits;
    }

    private interface Source {
        List<ByteBuffer> buffers();
    }

    private void write(CachedPart part, Source source, Runnable atEnd) {
        var ignored = change("cache a part of blob " + part.blob(), () -> tryWrite(part, source), () -> {
            atEnd.run();
            pendingBytes.addAndGet(-part.length());
        });
    }

    /** Changes the directories in the background. */
    private CompletionStage<Boolean> change(String what, Runnable work, Runnable atEnd) {
        changes.incrementAndGet();
        return writes.run(
                what,
                () -> {
                    work.run();
                    return true;
                },
                () -> {
                    atEnd.run();
                    changes.decrementAndGet();
                    rest.raise();
                });
    }

    private void tryWrite(CachedPart part, Source source) {
        CacheDirectory directory = healthy(part);
        if (directory == null) {
            metrics.add(Counter.CACHE_DISK_REFUSALS, 1);
            return;
        }
        try {
            if (!directory.write(part, source.buffers())) {
                metrics.add(Counter.CACHE_DISK_REFUSALS, 1);
            }
        } catch (IOException e) {
            metrics.add(Counter.CACHE_DISK_FAILURES, 1);
            LOG.debug("Could not cache a part of blob {}.", part.blob(), e);
        }
    }

    private @Nullable CacheDirectory healthy(CachedPart part) {
        for (int i = 0; i < directories.size(); i++) {
            CacheDirectory directory = directories.get(Math.floorMod(part.hashCode() + i, directories.size()));
            if (!directory.isFailing()) {
                return directory;
            }
        }
        return null;
    }

    private LeasedEntries<PartFile>.@Nullable Lease find(BlobId id, BlobRange range) {
        LeasedEntries<PartFile>.Lease lease = lease(CachedPart.section(id, range));
        return lease == null ? lease(CachedPart.exactly(id, range)) : lease;
    }

    private LeasedEntries<PartFile>.@Nullable Lease lease(CachedPart part) {
        for (CacheDirectory directory : directories) {
            LeasedEntries<PartFile>.Lease lease = directory.lease(part);
            if (lease != null) {
                return lease;
            }
        }
        return null;
    }

    private CompletionStage<BlobBytes> read(LeasedEntries<PartFile>.Lease lease, BlobId id, BlobRange range) {
        metrics.add(Counter.CACHE_DISK_HITS, 1);
        metrics.add(Counter.CACHE_DISK_BYTES, range.length());
        RelayedRead read = new RelayedRead();
        read.take(
                () -> reads.run(
                        "read blob " + id + " from the disk cache", () -> read(lease.value(), range), lease::close),
                (bytes, failure) -> {
                    if (failure instanceof StoreUnavailableException) {
                        metrics.add(Counter.CACHE_DISK_FAILURES, 1);
                        var ignored = forget(lease.part()::equals);
                        read.take(() -> store().get(id, range), read::end);
                    } else {
                        read.end(bytes, failure);
                    }
                });
        return read;
    }

    private static BlobBytes read(PartFile file, BlobRange range) {
        try {
            return BlobBytes.of(file.read(range.offset() - file.part().offset(), Math.toIntExact(range.length())));
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "Cannot read " + file.path() + ": " + e + ". Check the disk; the store is asked instead.", e);
        }
    }

    @Override
    public Optional<BlobBytes> held(BlobId id, BlobRange range) {
        return below.held(id, range);
    }

    @Override
    public Optional<CachedFile> file(BlobId id, BlobRange range) {
        LeasedEntries<PartFile>.Lease lease = find(id, range);
        if (lease == null) {
            return below.file(id, range);
        }
        try {
            CachedFile file = new LeasedFile(lease, range);
            metrics.add(Counter.CACHE_DISK_HITS, 1);
            metrics.add(Counter.CACHE_DISK_BYTES, range.length());
            return Optional.of(file);
        } catch (UncheckedIOException e) {
            lease.close();
            metrics.add(Counter.CACHE_DISK_FAILURES, 1);
            var ignored = forget(lease.part()::equals);
            return Optional.empty();
        }
    }

    @Override
    public Optional<CompletionStage<BlobBytes>> cached(BlobId id, BlobRange range) {
        LeasedEntries<PartFile>.Lease lease = isClosed ? null : find(id, range);
        return lease == null ? below.cached(id, range) : Optional.of(read(lease, id, range));
    }

    private CompletionStage<Boolean> forget(Predicate<CachedPart> test) {
        return change(
                "forget cached parts",
                () -> directories.forEach(directory -> directory.entries().forget(test)),
                () -> {});
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        Set<BlobId> gone = Set.copyOf(ids);
        return forget(part -> gone.contains(part.blob())).thenCompose(done -> store().delete(gone));
    }

    /**
     * Ends reads and writes. It waits for a running write, because another process may own the
     * directory afterwards. Cached parts stay for the next start. Closes the store below.
     * Idempotent.
     */
    @Override
    public void close() {
        isClosed = true;
        reads.close();
        writes.close();
        awaitRest();
        directories.forEach(CacheDirectory::close);
        gauge.close();
        super.close();
    }

    private void awaitRest() {
        long until = time.nanos() + LONGEST_WRITE.toNanos();
        try {
            long seen = rest.count();
            while (changes.get() > 0 && rest.await(seen, until)) {
                seen = rest.count();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
