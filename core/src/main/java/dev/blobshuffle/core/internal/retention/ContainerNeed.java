package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.claim.StoreClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Which blobs of other content than records are needed. Such a blob has no notifications, and the
 * origins of its segments name the shuffles that it is for. It may be deleted when none of them is
 * needed. A blob without origins stays. Owned by one thread.
 */
@FunctionalInterface
public interface ContainerNeed {
    /** Nothing is known of them, so all of these blobs stay. */
    ContainerNeed UNKNOWN = shuffle -> true;

    /**
     * Whether blobs of a shuffle may still be read or written. A sweep asks when it decides,
     * and again before each request that deletes. May block.
     */
    boolean isNeeded(String shuffle) throws InterruptedException;

    /**
     * A shuffle is needed until the lease of its application has been over for a grace period.
     *
     * @param leases what the applications hold
     * @param grace how long after the end of its lease an application may still run: for example
     *     because it stood still and has not noticed the end
     * @param clock the store's
     */
    static ContainerNeed byLease(Leases leases, Duration grace, StoreClock clock) {
        return shuffle -> {
            Optional<Instant> end = leases.end(shuffle);
            return end.isEmpty() || !end.get().plus(grace).isBefore(clock.now());
        };
    }

    /** The leases of applications. */
    @FunctionalInterface
    interface Leases {
        /**
         * When the lease of a shuffle's application ends, or has ended, by the store's clock.
         *
         * @return empty: no such lease is known, so the shuffle is needed
         */
        Optional<Instant> end(String shuffle) throws InterruptedException;
    }
}
