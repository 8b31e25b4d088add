package dev.blobshuffle.core.retention;

/** The right to delete blobs of a store, which others contest if they use the store too. Owned by one thread. */
public interface SweepRight {
    /**
     * Claims the store, before a sweep lists it.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings somebody else uses the store: nothing may be deleted
     */
    void raise() throws InterruptedException;

    /**
     * Checks the claim, before each request that deletes.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings as {@link #raise()}
     */
    void requireOwn() throws InterruptedException;
}
