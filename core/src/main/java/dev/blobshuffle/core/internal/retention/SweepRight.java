package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.store.BlobStore;
import java.time.Duration;
import java.util.Optional;

/**
 * The right to delete the blobs of one owner, in three steps: list them, decide by the logs which
 * ones nobody needs, and delete those. Other instances can take the right away at any time. Owned
 * by one thread.
 */
public interface SweepRight {
    /** What a sweep may do now. */
    enum Stage {
        /** List the owner's blobs. */
        LIST,
        /** Read the logs, and set tombstones. */
        DECIDE,
        /** Delete the blobs with tombstones. */
        DELETE,
        /** Nothing yet. */
        WAIT,
        /** Drop the listing and its tombstones, and begin again later. */
        START_OVER
    }

    /**
     * An answer.
     *
     * @param stage what the sweep may do
     * @param owner whose blobs
     * @param timeToLive the age from which they may be deleted by their age alone; empty: the logs
     *     decide
     * @param reason why the sweep must start over, if somebody must act
     */
    record Leave(Stage stage, int owner, Optional<Duration> timeToLive, Optional<String> reason) {}

    /**
     * Uses a store from now on, always the same one.
     *
     * @param store stays open until the next call
     * @throws dev.blobshuffle.core.failure.InvalidSettings the store has no registers
     */
    void use(BlobStore store);

    /**
     * The store's clock, read at the first call after {@link #use}. It costs one request that
     * reads, and those with which the store shows that it heeds conditions.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings the store does not heed conditions
     */
    StoreClock clock() throws InterruptedException;

    /** Claims the store, and says what a sweep may do now. */
    Leave next() throws InterruptedException;

    /** The listing is complete. Returns how long to wait before the next step. */
    Duration listed();

    /** The tombstones are set. Returns how long to wait before the next step. */
    Duration decided();

    /** The sweep is over, or must begin again. Returns how long to wait before it does. */
    Duration over();

    /**
     * Checks that the blobs with tombstones may still be deleted, before each request that deletes.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings they may not
     */
    void requireOwn() throws InterruptedException;
}
