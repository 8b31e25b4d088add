package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A store in the heap of this process, bounded in bytes. It is for tests and for measuring
 * everything but the store: blobs end with the process, and other processes cannot read them. A put
 * copies the content; a get copies nothing. Every stage is complete when the method returns.
 * Thread-safe.
 */
public final class MemoryBlobStore implements BlobStore {
    private final String name;
    private final long capacity;
    private final LongSupplier wallClock;
    private final ConcurrentSkipListMap<BlobId, Held> blobs = new ConcurrentSkipListMap<>();
    private final AtomicLong used = new AtomicLong();
    private volatile boolean closed;

    /**
     * A blob in memory.
     *
     * @param bytes never changed
     * @param stored when it was stored
     */
    @SuppressWarnings("ArrayRecordComponent") // Shared on purpose, and never compared.
    private record Held(byte[] bytes, Instant stored) {}

    /**
     * An empty store with the machine's clock.
     *
     * @param name distinguishes the store from others in this process
     * @param capacity the most bytes it holds, 1 or more
     */
    public MemoryBlobStore(String name, long capacity) {
        this(name, capacity, SystemTime.wallClock());
    }

    /**
     * An empty store with another clock.
     *
     * @param name distinguishes the store from others in this process
     * @param capacity the most bytes it holds, 1 or more
     * @param wallClock the store's clock, milliseconds since the Unix epoch
     */
    public MemoryBlobStore(String name, long capacity, LongSupplier wallClock) {
        if (capacity < 1) {
            throw new IllegalArgumentException(
                    "Cannot make memory store '" + name + "': capacity " + capacity + " bytes. Give 1 or more.");
        }
        this.name = name;
        this.capacity = capacity;
        this.wallClock = wallClock;
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        if (closed) {
            return failed(closed("store blob " + id));
        }
        content.retain();
        try {
            if (!blobs.containsKey(id)) {
                insert(id, content);
            }
            return CompletableFuture.completedFuture(null);
        } catch (BlobShuffleException e) {
            return failed(e);
        } finally {
            content.release();
        }
    }

    private void insert(BlobId id, BlobContent content) {
        long length = content.length();
        long now = used.addAndGet(length);
        boolean stored = false;
        try {
            if (now > capacity || length > Integer.MAX_VALUE - 8) {
                throw new StoreUnavailableException(
                        "Cannot store blob " + id + ": " + location() + " is full, " + (now - length)
                                + " of " + capacity + " bytes are used and the blob has " + length
                                + ". Delete blobs or give it more capacity.");
            }
            Held held = new Held(copy(content), Instant.ofEpochMilli(wallClock.getAsLong()));
            stored = blobs.putIfAbsent(id, held) == null;
        } finally {
            if (!stored) {
                used.addAndGet(-length);
            }
        }
    }

    private static byte[] copy(BlobContent content) {
        byte[] bytes = new byte[Math.toIntExact(content.length())];
        int at = 0;
        for (ByteBuffer buffer : content.buffers()) {
            int length = buffer.remaining();
            buffer.get(bytes, at, length);
            at += length;
        }
        if (at != bytes.length) {
            throw new IllegalStateException(
                    "Cannot copy content: it has " + at + " bytes, but claims " + bytes.length + ".");
        }
        return bytes;
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        if (closed) {
            return failed(closed("read blob " + id));
        }
        Held held = blobs.get(id);
        if (held == null) {
            return failed(missing(id));
        }
        byte[] bytes = held.bytes();
        if (range.end() > bytes.length) {
            return failed(range.outside(id, bytes.length, location()));
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes, (int) range.offset(), (int) range.length());
        return CompletableFuture.completedFuture(BlobBytes.of(buffer.slice()));
    }

    @Override
    public CompletionStage<Long> length(BlobId id) {
        if (closed) {
            return failed(closed("measure blob " + id));
        }
        Held held = blobs.get(id);
        return held == null ? failed(missing(id)) : CompletableFuture.completedFuture((long) held.bytes().length);
    }

    private BlobMissingException missing(BlobId id) {
        return new BlobMissingException("Cannot read blob " + id + ": it is not in " + location()
                + ". Check that writers and readers use the same store, and that blobs are kept for long enough.");
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        if (closed) {
            return failed(closed("delete blobs"));
        }
        for (BlobId id : ids) {
            Held removed = blobs.remove(id);
            if (removed != null) {
                used.addAndGet(-removed.bytes().length);
            }
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
        if (closed) {
            return failed(closed("list generation " + generation));
        }
        Map<BlobId, Held> blobsOfGeneration = ofOwner(owner, generation, generation);
        List<StoredBlob> found = new ArrayList<>();
        blobsOfGeneration.forEach((id, held) -> found.add(new StoredBlob(id, held.stored())));
        return CompletableFuture.completedFuture(found);
    }

    private NavigableMap<BlobId, Held> ofOwner(int owner, long first, long last) {
        long writer = owner == BlobId.NO_OWNER ? -1L : BlobId.writer(-1L);
        return blobs.subMap(
                new BlobId(owner, first, 0, 0), true, new BlobId(owner, last, writer, Long.MAX_VALUE), true);
    }

    @Override
    public CompletionStage<List<Long>> generations(int owner) {
        if (closed) {
            return failed(closed("list generations"));
        }
        return CompletableFuture.completedFuture(ofOwner(owner, 0, Long.MAX_VALUE).keySet().stream()
                .map(BlobId::generation)
                .distinct()
                .toList());
    }

    @Override
    public CompletionStage<List<Integer>> owners() {
        if (closed) {
            return failed(closed("list owners"));
        }
        return CompletableFuture.completedFuture(
                blobs.keySet().stream().map(BlobId::owner).distinct().toList());
    }

    @Override
    public int fingerprint() {
        return StoreFingerprint.of(location());
    }

    @Override
    public boolean isRemote() {
        return false;
    }

    @Override
    public String location() {
        return "memory://" + name;
    }

    /** Bytes that the stored blobs occupy. */
    public long usedBytes() {
        return used.get();
    }

    /** Closes the store and drops its blobs. Idempotent. */
    @Override
    public void close() {
        closed = true;
        blobs.clear();
        used.set(0);
    }

    private ClosedException closed(String attempt) {
        return new ClosedException(
                "Cannot " + attempt + ": " + location() + " is closed. Close the store after everything that uses it.");
    }

    private static <T> CompletionStage<T> failed(Throwable failure) {
        return CompletableFuture.failedFuture(failure);
    }
}
