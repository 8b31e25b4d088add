package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.StoredBlob;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The generation below which the blobs of an owner may be deleted without reading logs. An age is
 * one kind of horizon, completed checkpoints are another. A sweep by a horizon follows all other
 * rules: the steps and waits of {@link SweepRight}, and the floor. Thread-safe.
 */
@FunctionalInterface
public interface Horizon {
    /**
     * The current limit. It may go back, for example when an older checkpoint is restored. So a
     * sweep calls this when it lists, and again before each request that deletes. May block.
     *
     * @param now the store's current time
     * @return empty: no blob may be deleted now
     */
    Optional<Limit> at(Instant now);

    /**
     * The value of a horizon at one time.
     *
     * @param generation blobs of lower generations may be deleted
     * @param storedUpTo restricts them to those stored up to this time by the store's clock; empty:
     *     no restriction
     */
    record Limit(long generation, Optional<Instant> storedUpTo) {
        /** No blob may be deleted. */
        static final Limit NOTHING = new Limit(0, Optional.empty());

        /** Blobs of lower generations may be deleted, regardless of the time of their put. */
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
     * A horizon by age. A blob's age counts from the later of two times: the store's time of the
     * put, and the minute in the blob's id. The store's time alone is not enough, because its clock
     * may go back for a while. A blob stored in that while keeps a time that is too early. The
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
