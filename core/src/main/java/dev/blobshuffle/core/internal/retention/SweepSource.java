package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.claim.StoreClock;
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
     * first. It decides by the topics that the footers of the owner's blobs name.
     */
    boolean covers(String topic);

    /**
     * The right to sweep the application's owner.
     *
     * @param timing how far steps are apart
     */
    SweepRight right(OwnerTiming timing, Time time);

    /**
     * Which blobs may be deleted without the logs, where the members promise no retention by age;
     * empty: the logs decide.
     */
    default Optional<Horizon> horizon() {
        return Optional.empty();
    }

    /**
     * Which blobs of other content than records are needed. By default all are, and they stay.
     *
     * @param clock the store's
     */
    default ContainerNeed containers(StoreClock clock) {
        return ContainerNeed.UNKNOWN;
    }

    /** The logs with the notifications. The caller closes them. */
    NotificationLogs logs(Time time);
}
