package dev.blobshuffle.core.internal.container;

import dev.blobshuffle.core.failure.BlobCorruptException;
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
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Opens blobs of Arrow or opaque content in a store, and caches their footers. Concurrent calls for
 * one blob share its read. Thread-safe.
 */
public final class Footers<F> {
    private static final long BYTES_PER_FOOTER = 1024;
    private static final long BYTES_PER_SEGMENT = 160;
    private static final long BYTES_PER_FRAME = 32;

    private final BlobStore store;
    private final Executor executor;
    private final Function<Container, F> form;
    private final FooterCache<BlobId, F> cache;
    private final ConcurrentMap<BlobId, CompletableFuture<F>> opening = new ConcurrentHashMap<>();

    /**
     * An empty cache of footers.
     *
     * @param store stays open; the caller closes it
     * @param budget the most bytes of cached footers
     * @param executor decodes footers and verifies checksums, which may take milliseconds
     */
    public Footers(BlobStore store, Function<Container, F> form, FooterCache<BlobId, F> cache, Executor executor) {
        this.store = store;
        this.form = form;
        this.cache = cache;
        this.executor = executor;
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
     * <p>The stage fails with {@link BlobCorruptException} (the blob is damaged, another blob, or
     * without Arrow or opaque content), {@link dev.blobshuffle.core.failure.BlobMissingException}
     * or {@link dev.blobshuffle.core.failure.StoreUnavailableException}. A failure is not cached.
     *
     * @param length the blob's length, bytes
     */
    public CompletionStage<F> open(BlobId id, long length) {
        return open(id, length, UnaryOperator.identity());
    }

    /**
     * Opens a blob as {@link #open(BlobId, long)} does.
     *
     * @param naming names the section around the range of each read, for caches
     */
    public CompletionStage<F> open(BlobId id, long length, UnaryOperator<BlobRange> naming) {
        Optional<F> kept = cache.get(id);
        if (kept.isPresent()) {
            return CompletableFuture.completedFuture(kept.get());
        }
        CompletableFuture<F> mine = new CompletableFuture<>();
        CompletableFuture<F> others = opening.putIfAbsent(id, mine);
        if (others != null) {
            return others.copy();
        }
        // Another call may have read the footer after the lookup and before this call's turn began.
        kept = cache.get(id);
        if (kept.isPresent()) {
            end(id, mine, kept.get(), null);
            return mine;
        }
        var ignored = read(id, length, naming)
                .thenApply(form)
                .whenComplete((footer, failure) -> end(id, mine, footer, failure));
        return mine.copy();
    }

    private void end(BlobId id, CompletableFuture<F> opened, @Nullable F footer, @Nullable Throwable failure) {
        if (footer != null) {
            cache.put(id, footer);
        }
        boolean ignored = opening.remove(id, opened);
        if (footer != null) {
            boolean completed = opened.complete(footer);
        } else if (failure != null) {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            boolean completed = opened.completeExceptionally(cause == null ? failure : cause);
        }
    }

    private CompletionStage<Container> read(BlobId id, long length, UnaryOperator<BlobRange> naming) {
        if (length < Trailer.LENGTH) {
            return CompletableFuture.failedFuture(new BlobCorruptException("Cannot read blob " + id + ": it has "
                    + length + " bytes, and a trailer has " + Trailer.LENGTH + ". Write it again."));
        }
        int guessed = (int) Math.min(length, ContainerReader.TAIL);
        return end(id, length, guessed, naming).thenCompose(tail -> {
            if (tail.container().isPresent()) {
                return CompletableFuture.completedFuture(tail.container().get());
            }
            int needed = (int) Math.min(length, tail.needed());
            return end(id, length, needed, naming)
                    .thenApply(whole -> whole.container().orElseThrow());
        });
    }

    private CompletionStage<Tail> end(BlobId id, long length, int count, UnaryOperator<BlobRange> naming) {
        BlobRange range = naming.apply(BlobRange.of(length - count, count));
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
}
