package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.store.BlobStore;
import java.time.Duration;
import java.util.Optional;

/**
 * The right to delete the blobs of one owner, in three steps: list them, decide by the logs which
 * ones are not needed, and delete those. Other instances can withdraw the right at any time. Owned
 * by one thread.
 */
public interface SweepRight {
    /** The stage that a sweep may execute now. */
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
     * The permission for one stage.
     *
     * @param stage what the sweep may do
     * @param owner the owner of the blobs
     * @param timeToLive the age at which they may be deleted without reading the logs; empty: the
     *     logs decide
     * @param reason why the sweep must start over, if an operator must act
     */
    record Leave(Stage stage, int owner, Optional<Duration> timeToLive, Optional<String> reason) {}

    /**
     * Sets the store to use from now on. It must always be the same store.
     *
     * @param store stays open until the next call
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException the store has no registers
     */
    void use(BlobStore store);

    /**
     * The store's clock, read at the first call after {@link #use}. That call costs one read, and
     * the requests that check whether the store honours conditional writes.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException the store ignores conditional
     *     writes
     */
    StoreClock clock() throws InterruptedException;

    /** Claims the store, and returns what a sweep may do now. */
    Leave next() throws InterruptedException;

    /** Reports that the listing is complete. Returns how long to wait before the next step. */
    Duration listed();

    /** Reports that the tombstones are set. Returns how long to wait before the next step. */
    Duration decided();

    /** Reports that the sweep is over or must begin again. Returns how long to wait before that. */
    Duration over();

    /**
     * Checks that the blobs with tombstones may still be deleted, before each request that deletes.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException they may not
     */
    void requireOwn() throws InterruptedException;
}
