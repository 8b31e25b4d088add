package dev.blobshuffle.flink;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStoreProvider;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Directories whose stores have the faults that a test plants: {@code faulty:///directory}. */
public final class FaultyStores implements BlobStoreProvider {
    private static final AtomicInteger FAILED_PUTS = new AtomicInteger();

    private static volatile Duration getDelay = Duration.ZERO;
    private static volatile Duration putDelay = Duration.ZERO;
    private static volatile boolean putsFail;

    /** Heals all stores. */
    static void reset() {
        slow(Duration.ZERO, Duration.ZERO);
        failPuts(false);
        FAILED_PUTS.set(0);
    }

    /** Requests take so much longer. */
    static void slow(Duration puts, Duration gets) {
        putDelay = puts;
        getDelay = gets;
    }

    static void failPuts(boolean fail) {
        putsFail = fail;
    }

    static int failedPuts() {
        return FAILED_PUTS.get();
    }

    @Override
    public String scheme() {
        return "faulty";
    }

    @Override
    public BlobStore open(StoreUri uri, StoreContext context) {
        return new FaultyStore(
                BlobStores.openUnchecked("file://" + uri.path() + "?fsync=none", context), context.time());
    }

    private static final class FaultyStore extends ForwardingBlobStore {
        private final Time time;

        FaultyStore(BlobStore store, Time time) {
            super(store);
            this.time = time;
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            if (putsFail) {
                FAILED_PUTS.incrementAndGet();
                return CompletableFuture.failedFuture(new StoreUnavailableException("Cannot put " + id + ": planted."));
            }
            return after(putDelay, () -> super.put(id, content));
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            return after(getDelay, () -> super.get(id, range));
        }

        private <T> CompletionStage<T> after(Duration delay, Supplier<CompletionStage<T>> request) {
            if (delay.isZero()) {
                return request.get();
            }
            CompletableFuture<Void> elapsed = new CompletableFuture<>();
            Time.Cancellable ignored = time.schedule(delay, () -> elapsed.complete(null));
            return elapsed.thenCompose(nothing -> request.get());
        }
    }
}
