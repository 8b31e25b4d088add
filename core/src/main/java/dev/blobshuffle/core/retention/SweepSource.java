package dev.blobshuffle.core.retention;

import dev.blobshuffle.core.store.MeasurableStore;
import dev.blobshuffle.core.time.Time;

/** Where an application's sweeper learns which blobs are needed, and whether it may delete the others. Thread-safe. */
public interface SweepSource {
    /** Whether the application shuffles a topic through blobs. A blob with records of another topic is not its own. */
    boolean covers(String topic);

    /**
     * The right to sweep a store, not claimed yet.
     *
     * @param store stays open
     * @throws dev.blobshuffle.core.failure.InvalidSettings the store cannot be claimed
     */
    SweepRight right(MeasurableStore store, Time time) throws InterruptedException;

    /** The logs that lead to blobs. The caller closes them. */
    NotificationLogs logs(Time time);
}
