package dev.blobshuffle.spark;

import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreThrottledException;
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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
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

    private static final String PUTS = ".puts";
    private static final String GETS = ".gets";

    /** How many requests wrote blobs of a store, in all processes. */
    static long puts(Path store) {
        return count(requests(store.toString(), PUTS));
    }

    /** How many read them. */
    static long gets(Path store) {
        return count(requests(store.toString(), GETS));
    }

    /** Counts from 0 again. */
    static void countFromZero(Path store) throws IOException {
        Files.deleteIfExists(requests(store.toString(), PUTS));
        Files.deleteIfExists(requests(store.toString(), GETS));
    }

    /** A file with a byte for each request. */
    private static Path requests(String store, String kind) {
        return Path.of(store + kind);
    }

    private static long count(Path requests) {
        try {
            return Files.exists(requests) ? Files.size(requests) : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String scheme() {
        return "faulty";
    }

    @Override
    public BlobStore open(StoreUri uri, StoreContext context) {
        return new FaultyStore(uri.path(), BlobStores.openUnchecked("file://" + uri.path() + "?fsync=none", context));
    }

    private static final class FaultyStore extends ForwardingBlobStore {
        private final Set<String> seen = ConcurrentHashMap.newKeySet();

        private final String path;

        FaultyStore(String path, BlobStore store) {
            super(store);
            this.path = path;
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            note(PUTS);
            return faulty("put " + id, () -> super.put(id, content));
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            note(GETS);
            return faulty("get " + id, () -> super.get(id, range));
        }

        private void note(String kind) {
            try {
                Path ignored = Files.write(
                        requests(path, kind),
                        new byte[1],
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.APPEND);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
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
                                    new StoreUnavailableException("Cannot " + request + ": planted. Try again."))
                            : sending.get();
                case THROTTLED ->
                    seen.add(request)
                            ? CompletableFuture.failedFuture(
                                    new StoreThrottledException("Cannot " + request + ": planted. Try later.", null))
                            : sending.get();
                case DEAD ->
                    CompletableFuture.failedFuture(
                            new StoreRefusedException("Cannot " + request + ": planted refusal. Check the rights."));
            };
        }
    }
}
