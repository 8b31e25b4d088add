package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.claim.StoreClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides which blobs with other content than records are needed. Such a blob has no notifications;
 * the origins of its segments name its shuffles. It may be deleted when none of these shuffles is
 * needed. A blob without origins stays. Owned by one thread.
 */
@FunctionalInterface
public interface ContainerNeed {
    /** Keeps all of these blobs, because nothing is known about them. */
    ContainerNeed UNKNOWN = shuffle -> true;

    /**
     * Whether blobs of a shuffle may still be read or written. A sweep calls this when it decides,
     * and again before each request that deletes. May block.
     */
    boolean isNeeded(String shuffle) throws InterruptedException;

    /**
     * Needs by lease: a shuffle is needed until a grace period after its application's lease has
     * ended.
     *
     * @param leases the leases of the applications
     * @param grace how long an application may still run after the end of its lease, for example
     *     because it was paused and has not noticed the end
     * @param clock the store's clock
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
         * The end of the lease of a shuffle's application, past or future, by the store's clock.
         *
         * @return empty: no such lease is known, so the shuffle is needed
         */
        Optional<Instant> end(String shuffle) throws InterruptedException;
    }
}
