package dev.blobshuffle.kafka;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A store that is down, so puts are retried until their deadline, or that permanently refuses puts.
 */
final class OutageStore extends ForwardingBlobStore {
    volatile boolean down;
    volatile boolean refuses;

    OutageStore(BlobStore store) {
        super(store);
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        if (refuses) {
            return CompletableFuture.failedFuture(
                    new InvalidSettingsException("Cannot put: the store refuses this client. Grant it the right."));
        }
        return down
                ? CompletableFuture.failedFuture(new StoreUnavailableException("Cannot put: the store is down. Wait."))
                : store().put(id, content);
    }
}
