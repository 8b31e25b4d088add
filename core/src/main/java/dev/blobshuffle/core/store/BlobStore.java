package dev.blobshuffle.core.store;

import dev.blobshuffle.core.format.BlobId;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Where blobs are kept. Blobs are immutable: an id always stands for the same bytes, so {@link #put} may be repeated. Everything between the engine
 * and a store (caches, retries, metrics, hedging, injected faults) is a decorator of this interface. Thread-safe; no method blocks its caller for
 * I/O; stages complete on threads of the store, so callbacks only enqueue.
 *
 * <p>Failures complete a stage exceptionally with {@link dev.blobshuffle.core.failure.StoreUnavailable} (may succeed later; as
 * {@link dev.blobshuffle.core.failure.StoreThrottled} where the store asks for fewer requests), {@link dev.blobshuffle.core.failure.InvalidSettings}
 * (credentials, bucket or permissions are wrong: trying again is of no use),
 * {@link dev.blobshuffle.core.failure.BlobMissing} (confirmed not there), {@link dev.blobshuffle.core.failure.BlobCorrupt} (a range outside the blob)
 * or {@link dev.blobshuffle.core.failure.Closed}.
 *
 * <p>A request runs to its end: nobody cancels a stage, since its bytes would be lost; only decorators that wait or repeat can be told to stop ({@link Abandonable}).
 */
public interface BlobStore extends AutoCloseable {
    /**
     * Stores a blob. When the stage completes normally the blob is durable as the store promises and every reader finds it; a failed put leaves nothing that a
     * reader could mistake for the blob. The store holds the content ({@link BlobContent#retain()}) for as long as any attempt may still read it.
     */
    CompletionStage<Void> put(BlobId id, BlobContent content);

    /** Reads a part of a blob. The caller closes the bytes. */
    CompletionStage<BlobBytes> get(BlobId id, BlobRange range);

    /** Deletes blobs; a blob that is not there is no failure. */
    CompletionStage<Void> delete(Collection<BlobId> ids);

    /** The blobs of one generation, in no order. */
    CompletionStage<List<BlobId>> list(long generation);

    /** The generations (minutes) that hold at least one blob, in no order. For retention and inspection. */
    CompletionStage<List<Long>> generations();

    /**
     * Four bytes that tell this store from another: a hash of where it keeps blobs, or of the id that it keeps there (not of credentials or options). Notifications carry it, so that a
     * reader with another store fails with both named instead of finding nothing.
     */
    int fingerprint();

    /**
     * Whether requests go to a service of many machines, so that the same request, sent again, may be answered sooner by another one. Decides whether requests are
     * hedged.
     */
    default boolean isRemote() {
        return true;
    }

    /** The store's location as it may be shown to people: no credentials. */
    String location();

    /** Ends the store: pending work completes with {@code Closed}. Idempotent. */
    @Override
    void close();
}
