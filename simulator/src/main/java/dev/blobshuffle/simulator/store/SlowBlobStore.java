package dev.blobshuffle.simulator.store;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.planner.LatencyModel;
import dev.blobshuffle.planner.LatencyProfile;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A store that is as slow as an object store. Each request waits first, then takes effect and is
 * answered. Thread-safe.
 */
public final class SlowBlobStore extends ForwardingBlobStore {
    private final LatencyProfile profile;
    private final Time time;
    private volatile boolean closed;

    /** Slows the requests to a store down. */
    public SlowBlobStore(BlobStore store, LatencyProfile profile, Time time) {
        super(store);
        this.profile = profile;
        this.time = time;
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        if (profile.put().isEmpty()) {
            return store().put(id, content);
        }
        content.retain();
        return later(
                profile.put(), content.length(), () -> closed ? failed() : store().put(id, content), content::release);
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        return later(profile.get(), range.length(), () -> closed ? failed() : store().get(id, range), () -> {});
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        return later(profile.get(), 0, () -> store().delete(ids), () -> {});
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
        return later(profile.get(), 0, () -> store().list(owner, generation), () -> {});
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, GenerationSpan generations) {
        return later(profile.get(), 0, () -> store().list(owner, generations), () -> {});
    }

    @Override
    public CompletionStage<Long> length(BlobId id) {
        return later(profile.get(), 0, () -> store().length(id), () -> {});
    }

    @Override
    public CompletionStage<List<Long>> generations(int owner) {
        return later(profile.get(), 0, () -> store().generations(owner), () -> {});
    }

    @Override
    public CompletionStage<List<Integer>> owners() {
        return later(profile.get(), 0, () -> store().owners(), () -> {});
    }

    /** True, as for an object store. */
    @Override
    public boolean isRemote() {
        return true;
    }

    /** Requests under way fail when their time has come. Idempotent. */
    @Override
    public void close() {
        closed = true;
        super.close();
    }

    private <T> CompletionStage<T> later(
            Optional<LatencyModel> model, long bytes, Supplier<CompletionStage<T>> action, Runnable atEnd) {
        if (model.isEmpty()) {
            return action.get();
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        Duration latency = model.get().sample(bytes, time::randomLong);
        time.schedule(
                latency,
                () -> action.get().whenComplete((value, failure) -> {
                    atEnd.run();
                    if (failure == null) {
                        result.complete(value);
                    } else {
                        result.completeExceptionally(failure);
                    }
                }));
        return result;
    }

    private <T> CompletionStage<T> failed() {
        return CompletableFuture.failedFuture(
                new ClosedException("Cannot finish a request: " + location() + " was closed. Close it last."));
    }
}
