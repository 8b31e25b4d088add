package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.StoredBlob;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Which blobs of an owner may be deleted without reading logs: those of generations below one. An
 * age is a horizon. Completed checkpoints are another one. A sweep by a horizon keeps all other
 * rules: the steps and waits of {@link SweepRight}, and the floor. Thread-safe.
 */
@FunctionalInterface
public interface Horizon {
    /**
     * The limit now. It may go back, for example when an older checkpoint is restored: a sweep asks
     * when it lists, and again before each request that deletes. May block.
     *
     * @param now the store's clock
     * @return empty: no blob may be deleted now
     */
    Optional<Limit> at(Instant now);

    /**
     * Where a horizon is at one moment.
     *
     * @param generation blobs of lower generations may be deleted
     * @param storedUpTo of these, the ones that were stored up to this time of the store's clock;
     *     empty: all of them
     */
    record Limit(long generation, Optional<Instant> storedUpTo) {
        /** No blob may be deleted. */
        static final Limit NOTHING = new Limit(0, Optional.empty());

        /** Blobs of lower generations may be deleted, whenever they were stored. */
        public static Limit below(long generation) {
            return new Limit(generation, Optional.empty());
        }

        /** Whether a generation may hold blobs that may be deleted. */
        boolean mayCover(long minute) {
            return minute < generation;
        }

        boolean covers(StoredBlob blob) {
            return mayCover(blob.id().generation())
                    && (storedUpTo.isEmpty() || !blob.stored().isAfter(storedUpTo.get()));
        }
    }

    /**
     * Blobs of an age may be deleted. A blob is as old as the later of two times says: when the
     * store says it was stored, and the minute in its id. The store's times alone would do if its
     * clock never went back: a blob that was stored meanwhile has a time of long ago, for good. The
     * writer's minute can only make a blob younger.
     *
     * @param timeToLive the age
     */
    record Age(Duration timeToLive) implements Horizon {
        @Override
        public Optional<Limit> at(Instant now) {
            Instant oldest = now.minus(timeToLive);
            long minute = Math.floorDiv(oldest.toEpochMilli(), BlobId.MILLIS_PER_GENERATION);
            return Optional.of(new Limit(minute + 1, Optional.of(oldest)));
        }
    }
}
