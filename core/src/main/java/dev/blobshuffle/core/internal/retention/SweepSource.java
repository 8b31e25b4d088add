package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;

/**
 * Provides an application's sweeper with the logs of notifications and the right to delete blobs.
 * Thread-safe.
 */
public interface SweepSource {
    /**
     * Whether the application shuffles a topic through blobs. A blob with records of another topic
     * is foreign.
     */
    boolean covers(String topic);

    /**
     * The right to sweep a store, before it is claimed.
     *
     * @param store stays open
     * @throws dev.blobshuffle.core.failure.InvalidSettings the store cannot be claimed
     */
    SweepRight right(BlobStore store, Time time) throws InterruptedException;

    /** The logs with the notifications. The caller closes them. */
    NotificationLogs logs(Time time);
}
