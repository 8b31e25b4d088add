package dev.blobshuffle.core.internal.retention;

/**
 * The right to delete blobs of a store. Other users of the store can contest it. Owned by one
 * thread.
 */
public interface SweepRight {
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
