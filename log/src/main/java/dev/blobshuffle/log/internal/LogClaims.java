package dev.blobshuffle.log.internal;

import dev.blobshuffle.core.store.BlobId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * What a log remembers of its claims to stores. A copy of the log's database remembers the claims
 * that came before the copy, and no later one of the original. So each of the two finds the other
 * ({@code docs/decisions/0024-claims-of-a-log.md}). Thread-safe.
 */
public interface LogClaims {
    /** The claimant ids that the log remembers. */
    CompletionStage<Set<String>> known();

    /**
     * Remembers a claimant id, before it goes into the store's register. Waits for burials that
     * have begun. When the stage completes, the id is as durable as a commit.
     *
     * @param counter of the register's value that it will be in
     */
    CompletionStage<Void> remember(String id, long counter);

    /**
     * Forgets ids that no register can hold any more.
     *
     * @param before ids with a lower counter go
     * @param kept ids that stay all the same
     */
    CompletionStage<Void> forget(long before, Set<String> kept);

    /**
     * Some blobs whose grace is over and whose tombstone is older than a claim, as {@link
     * Retention#due}. Empty if the log does not remember the claim: then it was made for another
     * copy of the log.
     *
     * @param claim a claimant id
     */
    CompletionStage<List<BlobId>> due(String claim, int limit);
}
