package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import java.util.concurrent.CompletionStage;

/** A store whose blobs wait until the instance has claimed it. As thread-safe as the store. */
final class ClaimedBlobStore extends ForwardingBlobStore {
    private final ClaimWatch claim;

    ClaimedBlobStore(BlobStore store, ClaimWatch claim) {
        super(store);
        this.claim = claim;
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        if (claim.isMade()) {
            return super.put(id, content);
        }
        content.retain();
        return claim.attempt()
                .thenCompose(made -> super.put(id, content))
                .whenComplete((stored, failure) -> content.release());
    }

    @Override
    public void close() {
        claim.close();
        super.close();
    }
}
