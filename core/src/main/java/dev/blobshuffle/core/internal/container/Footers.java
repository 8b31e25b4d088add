package dev.blobshuffle.core.internal.container;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContainerReader;
import dev.blobshuffle.core.internal.format.Trailer;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Opens blobs of Arrow or opaque content in a store, and caches their footers. Concurrent calls for
 * one blob share its read. Thread-safe.
 */
public final class Footers {
    private static final long BYTES_PER_FOOTER = 1024;
    private static final long BYTES_PER_SEGMENT = 160;
    private static final long BYTES_PER_FRAME = 32;

    private final BlobStore store;
    private final Executor executor;
    private final FooterCache<BlobId, Container> cache;
    private final ConcurrentMap<BlobId, CompletableFuture<StoredContainer>> opening = new ConcurrentHashMap<>();

    /**
     * An empty cache of footers.
     *
     * @param store stays open; the caller closes it
     * @param budget the most bytes of cached footers
     * @param executor decodes footers and verifies checksums, which may take milliseconds
     */
    public Footers(BlobStore store, long budget, Executor executor) {
        this.store = store;
        this.executor = executor;
        cache = new FooterCache<>(budget, Footers::weight);
    }

    /** Estimates the memory of a footer, bytes. */
    public static long weight(Container container) {
        long frames = 0;
        for (Container.Segment segment : container.segments()) {
            frames += segment.frames().size();
        }
        return BYTES_PER_FOOTER + BYTES_PER_SEGMENT * container.segments().size() + BYTES_PER_FRAME * frames;
    }

    /**
     * Opens a blob by its cached footer, or by one or two reads of its end.
     *
     * <p>The stage fails with {@link BlobCorrupt} (the blob is damaged, another blob, or without
     * Arrow or opaque content), {@link dev.blobshuffle.core.failure.BlobMissing} or {@link
     * dev.blobshuffle.core.failure.StoreUnavailable}. A failure is not cached.
     *
     * @param length the blob's length, bytes
     */
    public CompletionStage<StoredContainer> open(BlobId id, long length) {
        Optional<Container> kept = cache.get(id);
        if (kept.isPresent()) {
            return CompletableFuture.completedFuture(opened(kept.get()));
        }
        CompletableFuture<StoredContainer> mine = new CompletableFuture<>();
        CompletableFuture<StoredContainer> others = opening.putIfAbsent(id, mine);
        if (others != null) {
            return others.copy();
        }
        var ignored = read(id, length).whenComplete((container, failure) -> end(id, mine, container, failure));
        return mine.copy();
    }

    private void end(
            BlobId id,
            CompletableFuture<StoredContainer> opened,
            @Nullable Container container,
            @Nullable Throwable failure) {
        if (container != null) {
            cache.put(id, container);
        }
        boolean ignored = opening.remove(id, opened);
        if (container != null) {
            boolean completed = opened.complete(opened(container));
        } else if (failure != null) {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            boolean completed = opened.completeExceptionally(cause == null ? failure : cause);
        }
    }

    private StoredContainer opened(Container container) {
        return new StoredContainer(container, store, executor);
    }

    private CompletionStage<Container> read(BlobId id, long length) {
        if (length < Trailer.LENGTH) {
            return CompletableFuture.failedFuture(new BlobCorrupt("Cannot read blob " + id + ": it has " + length
                    + " bytes, and a trailer has " + Trailer.LENGTH + ". Write it again."));
        }
        int guessed = (int) Math.min(length, ContainerReader.TAIL);
        return end(id, length, guessed).thenCompose(tail -> {
            if (tail.container().isPresent()) {
                return CompletableFuture.completedFuture(tail.container().get());
            }
            int needed = (int) Math.min(length, tail.needed());
            return end(id, length, needed).thenApply(whole -> whole.container().orElseThrow());
        });
    }

    private CompletionStage<Tail> end(BlobId id, long length, int count) {
        BlobRange range = BlobRange.of(length - count, count);
        return CheckedRead.of(store, id, range, executor, bytes -> Tail.decode(id, length, bytes));
    }

    /**
     * The decoded end of a blob.
     *
     * @param needed the number of last bytes that hold footer and trailer
     * @param container the footer; empty if more bytes are needed
     */
    private record Tail(int needed, Optional<Container> container) {
        static Tail decode(BlobId id, long length, BlobBytes bytes) {
            int needed = Trailer.read(bytes.buffer()).tailLength();
            boolean isWhole =
                    needed <= bytes.buffer().remaining() || bytes.buffer().remaining() == length;
            Optional<Container> container =
                    isWhole ? Optional.of(ContainerReader.footer(id, bytes.buffer(), length)) : Optional.empty();
            bytes.close();
            return new Tail(needed, container);
        }
    }

    /** Drops a footer, because its blob is gone. */
    public void forget(BlobId id) {
        cache.remove(id);
    }

    /** The estimated memory of the cached footers, bytes. */
    public long usedBytes() {
        return cache.usedBytes();
    }
}
