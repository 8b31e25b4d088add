package dev.blobshuffle.log.internal;

import dev.blobshuffle.core.store.BlobId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Deletes batches and blobs that are no longer needed. A blob may contain records of several topics
 * and publishers, so it is deleted after its last reference is gone:
 *
 * <pre>
 *   trim ──▶ unreferenced ──bury──▶ tombstone ──grace──▶ due ──object deleted──▶ forget
 *   listing of a generation (orphans) ──bury──▶ tombstone
 * </pre>
 *
 * <p>Any instance may run each step at any time. Thread-safe.
 */
public interface Retention {
    /** Whether this client may run these steps. A client that may not leaves them to others. */
    boolean isAllowed();

    /**
     * Removes batches that the topics' rules do not keep, and batches of deleted topics, at most
     * 1,000 per call. Blobs whose last reference it removes become unreferenced in the same
     * transaction.
     *
     * @return how many batches it removed; empty: another caller is trimming
     */
    CompletionStage<OptionalInt> trim();

    /**
     * Some blobs without a reference and without a tombstone that a trim has left, in order.
     *
     * @param after the blob to continue after; empty: from the start
     */
    CompletionStage<List<BlobId>> unreferenced(Optional<BlobId> after, int limit);

    /** Those of the given blobs that have no reference and no tombstone. */
    CompletionStage<Set<BlobId>> unneeded(Collection<BlobId> blobs);

    /**
     * Puts a tombstone on those of the given blobs that no batch refers to. From then on no commit
     * may refer to them.
     *
     * @param generation of all the blobs
     * @param blobs candidates
     * @param grace after which the blobs may be deleted
     * @return how many tombstones it put; empty: a commit may still refer to blobs of this
     *     generation, so try later
     */
    CompletionStage<OptionalInt> bury(long generation, Collection<BlobId> blobs, Duration grace);

    /**
     * Some blobs whose grace is over. A caller that deletes blobs uses {@link LogClaims#due}; after
     * deleting them from the store, it calls {@link #forget}.
     */
    CompletionStage<List<BlobId>> due(int limit);

    /** Removes the tombstones of blobs that are deleted from the store. */
    CompletionStage<Void> forget(Collection<BlobId> blobs);

    /** The log's record of its claims to stores. */
    LogClaims claims();

    /** The times at which generations were last listed, of those that the log remembers. */
    CompletionStage<Map<Long, Instant>> listed();

    /** Records that a generation was listed now, by the log's clock. */
    CompletionStage<Void> markListed(long generation);

    /** Removes the listing times of generations that are older than any upload may live. */
    CompletionStage<Void> forgetListed(Set<Long> generations);

    /** The log's clock. */
    CompletionStage<Instant> clock();

    /** The age after which a blob may no longer be committed, by the log's clock. */
    Duration longestUncommitted();
}
