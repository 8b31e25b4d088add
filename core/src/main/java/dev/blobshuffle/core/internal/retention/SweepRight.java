package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.claim.StoreClock;

/**
 * The right to delete blobs of a store. Other users of the store can contest it. Owned by one
 * thread.
 */
public interface SweepRight {
    /**
     * The store's clock, read at the first call. It costs one request that reads, and those with
     * which the store shows that it heeds conditions.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings the store does not heed conditions
     */
    StoreClock clock() throws InterruptedException;

    /**
     * Claims the store, before a sweep lists it.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings another application or cluster uses the
     *     store; nothing may be deleted
     */
    void raise() throws InterruptedException;

    /**
     * Checks the claim, before each request that deletes.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings as {@link #raise()}
     */
    void requireOwn() throws InterruptedException;
}
