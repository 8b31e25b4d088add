package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoreInspection;
import dev.blobshuffle.core.store.StoredBlob;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store that forwards every call to another store. Decorators extend it and override the methods
 * that they change. Closing it closes the other store. As thread-safe as the other store.
 */
public abstract class ForwardingBlobStore implements BlobStore {
    private final BlobStore store;

    /** Forwards to a store. */
    protected ForwardingBlobStore(BlobStore store) {
        this.store = store;
    }

    /** The store that does the work. */
    protected final BlobStore store() {
        return store;
    }

    /**
     * The halves of a store of two speeds, each with what this decorator does. Empty by default, so
     * a decorator that does not know about halves makes such a store an ordinary one. The same
     * holds for {@link #put(BlobId, BlobContent, Runnable)}, which does not pass to the other store
     * by default.
     */
    public Optional<StoreHalves> halves() {
        return Optional.empty();
    }

    @Override
    public CompletionStage<Integer> owner() {
        return store.owner();
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        return store.put(id, content);
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        return store.get(id, range);
    }

    @Override
    public CompletionStage<Long> length(BlobId id) {
        return store.length(id);
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        return store.delete(ids);
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
        return store.list(owner, generation);
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, GenerationSpan generations) {
        return store.list(owner, generations);
    }

    @Override
    public CompletionStage<List<Long>> generations(int owner) {
        return store.generations(owner);
    }

    @Override
    public CompletionStage<List<Integer>> owners() {
        return store.owners();
    }

    @Override
    public Optional<Registers> registers() {
        return store.registers();
    }

    @Override
    public Optional<StoreInspection> inspect() {
        return store.inspect();
    }

    @Override
    public int fingerprint() {
        return store.fingerprint();
    }

    @Override
    public boolean isRemote() {
        return store.isRemote();
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
