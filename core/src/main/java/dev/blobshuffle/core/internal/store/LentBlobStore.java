package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A store that its owner closes, not its user. As thread-safe as the other store. */
public final class LentBlobStore extends ForwardingBlobStore {
    /** Lends a store. */
    public LentBlobStore(BlobStore store) {
        super(store);
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content, Runnable whenReadable) {
        return store().put(id, content, whenReadable);
    }

    @Override
    public Optional<StoreHalves> halves() {
        return StoreHalves.of(store()).map(halves -> halves.map(LentBlobStore::new));
    }

    /** Does nothing: the owner closes the store. */
    @Override
    public void close() {}
}
