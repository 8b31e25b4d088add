package dev.blobshuffle.spark;

import dev.blobshuffle.core.failure.StoreRefused;
import dev.blobshuffle.core.failure.StoreThrottled;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.internal.store.BlobStores;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStoreProvider;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreUri;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Directories whose stores have the faults that a test plants: {@code faulty:///directory}. */
public final class FaultyStores implements BlobStoreProvider {
    /** What happens to puts and gets. */
    enum Fault {
        NONE,
        SLOW,
        /** The first request for each blob fails. */
        FAILING,
        /** The first request for each blob is throttled. */
        THROTTLED,
        DEAD
    }

    static volatile Fault fault = Fault.NONE;

    /** Requests that write, and that read, since the last {@link #count}. */
    static final AtomicInteger PUTS = new AtomicInteger();

    static final AtomicInteger GETS = new AtomicInteger();

    /** Begins to count. */
    static void count() {
        PUTS.set(0);
        GETS.set(0);
    }

    @Override
    public String scheme() {
        return "faulty";
    }

    @Override
    public BlobStore open(StoreUri uri, StoreContext context) {
        return new FaultyStore(BlobStores.openUnchecked("file://" + uri.path() + "?fsync=none", context));
    }

    private static final class FaultyStore extends ForwardingBlobStore {
        private final Set<String> seen = ConcurrentHashMap.newKeySet();

        FaultyStore(BlobStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            PUTS.incrementAndGet();
            return faulty("put " + id, () -> super.put(id, content));
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            GETS.incrementAndGet();
            return faulty("get " + id, () -> super.get(id, range));
        }

        private <T> CompletionStage<T> faulty(String request, Supplier<CompletionStage<T>> sending) {
            return switch (fault) {
                case NONE -> sending.get();
                case SLOW ->
                    CompletableFuture.supplyAsync(
                                    () -> request, CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS))
                            .thenCompose(sent -> sending.get());
                case FAILING ->
                    seen.add(request)
                            ? CompletableFuture.failedFuture(
                                    new StoreUnavailable("Cannot " + request + ": planted. Try again."))
                            : sending.get();
                case THROTTLED ->
                    seen.add(request)
                            ? CompletableFuture.failedFuture(
                                    new StoreThrottled("Cannot " + request + ": planted. Try later.", null))
                            : sending.get();
                case DEAD ->
                    CompletableFuture.failedFuture(
                            new StoreRefused("Cannot " + request + ": planted refusal. Check the rights."));
            };
        }
    }
}
