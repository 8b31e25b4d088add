package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A store without a cache, which the innermost cache builds on. Thread-safe. */
final class Uncached extends ForwardingBlobStore implements CachedBlobStore {
    private Uncached(BlobStore store) {
        super(store);
    }

    static CachedBlobStore of(BlobStore store) {
        return store instanceof CachedBlobStore cached ? cached : new Uncached(store);
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content, Runnable whenReadable) {
        return store().put(id, content, whenReadable);
    }

    @Override
    public CompletionStage<BlobBytes> getBy(BlobStore place, BlobId id, BlobRange range) {
        return place.get(id, range);
    }

    @Override
    public Optional<BlobBytes> held(BlobId id, BlobRange range) {
        return Optional.empty();
    }

    @Override
    public Optional<CachedFile> file(BlobId id, BlobRange range) {
        return Optional.empty();
    }

    @Override
    public Optional<CompletionStage<BlobBytes>> cached(BlobId id, BlobRange range) {
        return Optional.empty();
    }
}
