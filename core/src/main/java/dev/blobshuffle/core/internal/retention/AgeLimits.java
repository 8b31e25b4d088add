package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.StoredBlob;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides which blobs a sweep lists, and which ones the floor protects, at one time of the store's
 * clock. Ages are those of {@link Horizon.Age}. Immutable.
 */
final class AgeLimits {
    private final Optional<Horizon.Limit> listed;
    private final Optional<Instant> oldUpTo;

    private AgeLimits(Optional<Horizon.Limit> listed, Optional<Instant> oldUpTo) {
        this.listed = listed;
        this.oldUpTo = oldUpTo;
    }

    /**
     * @param now the store's current time
     */
    static AgeLimits at(Instant now, BlobLifetime lifetime) {
        Optional<Instant> old = lifetime.floor().isZero() ? Optional.empty() : Optional.of(now.minus(lifetime.floor()));
        Optional<Horizon.Limit> limit =
                lifetime.horizon().map(horizon -> horizon.at(now).orElse(Horizon.Limit.NOTHING));
        return new AgeLimits(limit, old);
    }

    /** Whether a listing includes the blob. With a horizon, it includes only the blobs below it. */
    boolean lists(StoredBlob blob) {
        return listed.isEmpty() || listed.get().covers(blob);
    }

    /** Whether the floor protects the blob. */
    boolean spares(StoredBlob blob) {
        return oldUpTo.isPresent() && since(blob).isAfter(oldUpTo.get());
    }

    private static Instant since(StoredBlob blob) {
        Instant minute = Instant.ofEpochMilli(blob.id().generation() * BlobId.MILLIS_PER_GENERATION);
        return minute.isAfter(blob.stored()) ? minute : blob.stored();
    }

    /**
     * Whether a generation may hold blobs to list. This only saves requests for the other
     * generations.
     */
    boolean mayList(long generation) {
        return listed.isEmpty() || listed.get().mayCover(generation);
    }
}
