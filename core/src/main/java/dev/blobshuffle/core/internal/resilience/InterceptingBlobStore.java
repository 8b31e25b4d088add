package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.StoredBlob;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A decorator that passes all requests through one method. As thread-safe as its subclass. */
abstract class InterceptingBlobStore extends ForwardingBlobStore {
    InterceptingBlobStore(BlobStore store) {
        super(store);
    }

    /**
     * Sends a request to the store below; the subclass decides when and how often. The caller holds
     * the content during this call only.
     */
    abstract <T> CompletionStage<T> run(StoreCall<T> call);

    @Override
    public final CompletionStage<Void> put(BlobId id, BlobContent content) {
        return run(StoreCall.put(store(), id, content));
    }

    @Override
    public final CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        return run(StoreCall.get(store(), id, range));
    }

    @Override
    public final CompletionStage<Void> delete(Collection<BlobId> ids) {
        return run(StoreCall.delete(store(), List.copyOf(ids)));
    }

    @Override
    public final CompletionStage<List<StoredBlob>> list(int owner, long generation) {
        return run(StoreCall.other("list generation " + generation, () -> store().list(owner, generation)));
    }

    @Override
    public final CompletionStage<List<StoredBlob>> list(int owner, GenerationSpan generations) {
        return run(StoreCall.other(
                "list generations from " + generations.first(), () -> store().list(owner, generations)));
    }

    @Override
    public final CompletionStage<Long> length(BlobId id) {
        return run(StoreCall.other("measure blob " + id, () -> store().length(id)));
    }

    @Override
    public final CompletionStage<List<Long>> generations(int owner) {
        return run(StoreCall.other("list generations", () -> store().generations(owner)));
    }

    @Override
    public final CompletionStage<List<Integer>> owners() {
        return run(StoreCall.other("list owners", () -> store().owners()));
    }
}
