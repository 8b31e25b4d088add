package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.store.BlobStore;

/** A store that its owner closes, not its user. As thread-safe as the other store. */
public final class LentBlobStore extends ForwardingBlobStore {
    /** Lends a store. */
    public LentBlobStore(BlobStore store) {
        super(store);
    }

    /** Does nothing: the owner closes the store. */
    @Override
    public void close() {}
}
