package dev.blobshuffle.core.store;

import dev.blobshuffle.core.internal.concurrent.FutureGroup;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Stores blobs. Blobs are immutable: an id always stands for the same bytes, so {@link #put} may be
 * repeated. Everything between the engine and a store (caches, retries, metrics, hedging, injected
 * faults) is a decorator of this interface. Thread-safe. No method blocks its caller for I/O.
 * Stages complete on threads of the store, so callbacks must only enqueue.
 *
 * <p>Failures complete a stage exceptionally with
 * {@link dev.blobshuffle.core.failure.StoreUnavailableException} (may succeed later; as
 * {@link dev.blobshuffle.core.failure.StoreThrottledException} if the store asks for fewer
 * requests), {@link dev.blobshuffle.core.failure.InvalidSettingsException} (credentials, bucket or
 * permissions are wrong; a retry cannot help),
 * {@link dev.blobshuffle.core.failure.BlobMissingException} (confirmed not there),
 * {@link dev.blobshuffle.core.failure.BlobCorruptException} (a range outside the blob) or
 * {@link dev.blobshuffle.core.failure.ClosedException}.
 *
 * <p>A request runs to its end. Do not cancel a stage, since its bytes would leak. Only decorators
 * that wait or repeat can stop early ({@link Abandonable}).
 */
public interface BlobStore extends AutoCloseable {
    /**
     * The owner of the blobs that this instance stores now; {@link BlobId#NO_OWNER} if the store is
     * not swept. Completes when the instance may store blobs. Fails with
     * {@link dev.blobshuffle.core.failure.StoreUnavailableException} if an attempt to claim its
     * owner failed.
     */
    default CompletionStage<Integer> owner() {
        return CompletableFuture.completedFuture(BlobId.NO_OWNER);
    }

    /**
     * Stores a blob. When the stage completes normally, the blob is as durable as the store
     * promises and every reader finds it. A failed put leaves nothing that a reader could mistake
     * for the blob. The store holds the content ({@link BlobContent#retain()}) for as long as any
     * attempt may still read it.
     */
    CompletionStage<Void> put(BlobId id, BlobContent content);

    /**
     * Stores a blob as {@link #put(BlobId, BlobContent)} does, and reports when readers find it. A
     * store of two speeds reports that before the blob is durable. An ordinary store never reports
     * it: its blobs are readable and durable at the same time, when the stage completes.
     *
     * <p>A blob that was reported may still be lost, if the stage fails afterwards or the process
     * ends. So readers may learn of the blob, but no commit may rely on it before the stage
     * completes normally.
     *
     * @param whenReadable called at most once, by a thread of the store, so it must only enqueue;
     *     may be called after the stage has completed
     */
    default CompletionStage<Void> put(BlobId id, BlobContent content, Runnable whenReadable) {
        return put(id, content);
    }

    /** Reads a part of a blob. The caller closes the bytes. */
    CompletionStage<BlobBytes> get(BlobId id, BlobRange range);

    /**
     * The length of a blob, bytes. With it, a caller that knows only a blob's id can read its
     * footer. Fails as {@link #get} does.
     */
    CompletionStage<Long> length(BlobId id);

    /** Deletes blobs. A missing blob is not a failure. */
    CompletionStage<Void> delete(Collection<BlobId> ids);

    /**
     * The blobs of one generation of an owner, in no order, with the times at which they were
     * stored. These times cost no request of their own.
     */
    CompletionStage<List<StoredBlob>> list(int owner, long generation);

    /**
     * The blobs of several generations of an owner, in no order. The result is that of {@link
     * #list(int, long)} for each generation, but an object store needs far fewer requests.
     */
    default CompletionStage<List<StoredBlob>> list(int owner, GenerationSpan generations) {
        FutureGroup<List<StoredBlob>> lists = new FutureGroup<>();
        for (long generation = generations.first(); generation < generations.last(); generation++) {
            lists.add(list(owner, generation));
        }
        lists.add(list(owner, generations.last()));
        return lists.all(all -> all.stream().flatMap(List::stream).toList());
    }

    /**
     * The generations (minutes) in which an owner has at least one blob, in no order. For retention
     * and inspection.
     */
    CompletionStage<List<Long>> generations(int owner);

    /**
     * The owners that may have blobs here, in no order. An owner whose blobs were all deleted may
     * be among them.
     */
    CompletionStage<List<Integer>> owners();

    /**
     * The registers that this store keeps beside its blobs. Empty if the store has no
     * compare-and-set; such a store is not swept.
     */
    default Optional<Registers> registers() {
        return Optional.empty();
    }

    /**
     * Asks the service for its clock, the bucket's region, and the rules that expire blobs or keep
     * deleted ones ({@link StoreFinding#expiry}, {@link StoreFinding#neverExpires},
     * {@link StoreFinding#keepsDeleted}, {@link StoreFinding#keepsVersions}). It also tries the
     * conditional writes that the store's marker and sweeps need, below the store's prefix, and
     * removes what it wrote. Blocks for up to a minute. For {@code blobshuffle doctor}.
     *
     * <p>If a permission is missing, or the service does not support a question, the answer is a
     * finding ({@link StoreFinding#unknown}), not a failure.
     *
     * @return empty for a store without settings that matter
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the service does
     *     not answer at all
     */
    default Optional<StoreInspection> inspect() {
        return Optional.empty();
    }

    /**
     * Four bytes that identify this store: a hash of the blobs' location, or of the id stored
     * there, but not of credentials or options. Notifications carry the fingerprint. A reader with
     * another store therefore fails with a message that names both stores, instead of finding no
     * blob.
     */
    int fingerprint();

    /**
     * Whether requests go to a service of many machines. Requests to such a service are hedged,
     * because another machine may answer a repeated request sooner.
     */
    default boolean isRemote() {
        return true;
    }

    /** The store's location without credentials, fit for logs and messages. */
    String location();

    /** Closes the store. Pending work fails with {@code ClosedException}. Idempotent. */
    @Override
    void close();
}
