package dev.blobshuffle.kafka;

import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store that refuses puts while it is down. */
final class OutageStore implements BlobStore {
    private final BlobStore store;
    volatile boolean down;

    OutageStore(BlobStore store) {
        this.store = store;
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        return down
                ? CompletableFuture.failedFuture(new StoreUnavailable("Cannot put: the store is down. Wait."))
                : store.put(id, content);
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        return store.get(id, range);
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        return store.delete(ids);
    }

    @Override
    public CompletionStage<List<BlobId>> list(long generation) {
        return store.list(generation);
    }

    @Override
    public CompletionStage<List<Long>> generations() {
        return store.generations();
    }

    @Override
    public int fingerprint() {
        return store.fingerprint();
    }

    @Override
    public String location() {
        return store.location();
    }

    @Override
    public void close() {
        store.close();
    }
}
