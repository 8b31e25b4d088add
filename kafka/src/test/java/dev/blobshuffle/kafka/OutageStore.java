package dev.blobshuffle.kafka;

import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store that refuses puts while it is down. */
final class OutageStore extends ForwardingBlobStore {
    volatile boolean down;

    OutageStore(BlobStore store) {
        super(store);
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        return down
                ? CompletableFuture.failedFuture(new StoreUnavailable("Cannot put: the store is down. Wait."))
                : store().put(id, content);
    }
}
