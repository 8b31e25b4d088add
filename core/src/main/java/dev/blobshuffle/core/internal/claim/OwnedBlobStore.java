package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store whose puts wait until the instance has an owner and a recent check. As thread-safe as the
 * other store.
 */
final class OwnedBlobStore extends ForwardingBlobStore {
    private final OwnerWatch watch;

    OwnedBlobStore(BlobStore store, OwnerWatch watch) {
        super(store);
        this.watch = watch;
    }

    @Override
    public CompletionStage<Integer> owner() {
        return watch.owner();
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        content.retain();
        return watch.owner()
                .thenCompose(owner -> {
                    if (owner != id.owner()) {
                        throw new StoreUnavailableException("Cannot store blob " + id + " in " + location()
                                + ": this instance stores for owner " + BlobId.hex(owner) + " now. Try again.");
                    }
                    return super.put(id, content);
                })
                .whenComplete((stored, failure) -> content.release());
    }

    @Override
    public Optional<StoreHalves> halves() {
        return StoreHalves.of(store()).map(halves -> halves.map(half -> new OwnedBlobStore(half, watch)));
    }

    @Override
    public void close() {
        watch.close();
        super.close();
    }
}
