package dev.blobshuffle.log.internal;

import dev.blobshuffle.core.store.BlobId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * The log's record of its claims to stores. A copy of the log's database has the claims from before
 * the copy, and no later claims of the original. So each of the two detects the other
 * ({@code docs/decisions/0024-claims-of-a-log.md}). Thread-safe.
 */
public interface LogClaims {
    /** The claimant ids that the log remembers. */
    CompletionStage<Set<String>> known();

    /**
     * Records a claimant id before the store's register gets it. Waits for burials that have begun.
     * When the stage completes, the id is as durable as a commit.
     *
     * @param counter of the register's value that will have the id
     */
    CompletionStage<Void> remember(String id, long counter);

    /**
     * Removes ids that no register can still have.
     *
     * @param before ids with a lower counter are removed
     * @param kept ids that stay even so
     */
    CompletionStage<Void> forget(long before, Set<String> kept);

    /**
     * Some blobs whose grace is over and whose tombstone is older than a claim, as
     * {@link Retention#due}. Empty if the log has no record of the claim: then another copy of the
     * log made it.
     *
     * @param claim a claimant id
     */
    CompletionStage<List<BlobId>> due(String claim, int limit);
}
