package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.time.Time;
import java.util.Optional;

/**
 * Provides an application's sweeper with the logs of notifications and the right to delete blobs.
 * Thread-safe.
 */
public interface SweepSource {
    /**
     * Whether the application shuffles a topic through blobs. A sweep reads the logs of such topics
     * first. Its decisions depend on the topics that the footers of the owner's blobs name.
     */
    boolean covers(String topic);

    /**
     * The right to sweep the application's owner.
     *
     * @param timing the time between steps
     */
    SweepRight right(OwnerTiming timing, Time time);

    /** The horizon to use if the members promise no retention by age; empty: the logs decide. */
    default Optional<Horizon> horizon() {
        return Optional.empty();
    }

    /** The logs with the notifications. The caller closes them. */
    NotificationLogs logs(Time time);
}
