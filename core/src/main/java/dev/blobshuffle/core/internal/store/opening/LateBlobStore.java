package dev.blobshuffle.core.internal.store.opening;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.StoreFingerprint;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.store.StoreInspection;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that could not be opened yet. A request opens it again, at most every few seconds, in the
 * background; until that succeeds, requests fail with {@link StoreUnavailableException}. For a
 * store that an instance can start without. Thread-safe: guarded by this.
 */
final class LateBlobStore implements BlobStore {
    private final String location;
    private final Supplier<BlobStore> opening;
    private final long pauseNanos;
    private final Time time;
    private final Time.Workers worker;
    private BlobShuffleException cause;
    private @Nullable BlobStore opened;
    private boolean isOpening;
    private boolean isClosed;
    private long triedNanos;

    /**
     * @param location the store's location for messages, without credentials
     * @param opening opens the store, blocks
     * @param pause the least time between two attempts
     * @param cause why the store is not open
     */
    LateBlobStore(String location, Supplier<BlobStore> opening, Duration pause, BlobShuffleException cause, Time time) {
        this.location = location;
        this.opening = opening;
        this.cause = cause;
        pauseNanos = pause.toNanos();
        this.time = time;
        worker = time.workers("blobshuffle-open", 1);
        triedNanos = time.nanos();
    }

    private <T> CompletionStage<T> ask(Function<BlobStore, CompletionStage<T>> request) {
        BlobStore store;
        BlobShuffleException failure;
        synchronized (this) {
            store = opened;
            failure = isClosed ? closed() : unavailable();
            if (store == null && !isClosed && !isOpening && time.nanos() - triedNanos >= pauseNanos) {
                isOpening = true;
                worker.execute(this::open);
            }
        }
        return store == null ? CompletableFuture.failedFuture(failure) : request.apply(store);
    }

    private void open() {
        try {
            BlobStore store = opening.get();
            boolean isUnwanted;
            synchronized (this) {
                isUnwanted = isClosed;
                opened = isUnwanted ? null : store;
            }
            if (isUnwanted) {
                store.close();
            }
        } catch (BlobShuffleException e) {
            synchronized (this) {
                cause = e;
            }
        } finally {
            synchronized (this) {
                isOpening = false;
                triedNanos = time.nanos();
            }
        }
    }

    private StoreUnavailableException unavailable() {
        return new StoreUnavailableException(
                "Cannot use store " + location + ": it is not open yet. " + cause.getMessage(), cause);
    }

    private ClosedException closed() {
        return new ClosedException(
                "Cannot use store " + location + ": it is closed. Close the store after everything that uses it.");
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        return ask(store -> store.put(id, content));
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        return ask(store -> store.get(id, range));
    }

    @Override
    public CompletionStage<Long> length(BlobId id) {
        return ask(store -> store.length(id));
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        return ask(store -> store.delete(ids));
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
        return ask(store -> store.list(owner, generation));
    }

    @Override
    public CompletionStage<List<Long>> generations(int owner) {
        return ask(store -> store.generations(owner));
    }

    @Override
    public CompletionStage<List<Integer>> owners() {
        return ask(BlobStore::owners);
    }

    @Override
    public synchronized Optional<StoreInspection> inspect() {
        if (opened != null) {
            return opened.inspect();
        }
        String reason = String.valueOf(cause.getMessage());
        StoreFinding finding = StoreFinding.warning(
                "open",
                "the store is not open: " + (reason.endsWith(".") ? reason.substring(0, reason.length() - 1) : reason),
                "Restore it, or let an instance create it.");
        return Optional.of(new StoreInspection(Optional.empty(), List.of(finding)));
    }

    /** That of the opened store; before, that of its location. */
    @Override
    public synchronized int fingerprint() {
        return opened == null ? StoreFingerprint.of(location) : opened.fingerprint();
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public void close() {
        BlobStore store;
        synchronized (this) {
            isClosed = true;
            store = opened;
            opened = null;
        }
        worker.close();
        if (store != null) {
            store.close();
        }
    }
}
