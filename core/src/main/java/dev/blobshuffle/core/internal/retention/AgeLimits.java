package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.StoredBlob;
import java.time.Instant;
import java.util.Optional;

/**
 * Which blobs are old enough, at one moment of the store's clock. Only times that the store gives
 * are compared. Immutable.
 */
final class AgeLimits {
    private final Optional<Instant> listedUpTo;
    private final Optional<Instant> oldUpTo;

    private AgeLimits(Optional<Instant> listedUpTo, Optional<Instant> oldUpTo) {
        this.listedUpTo = listedUpTo;
        this.oldUpTo = oldUpTo;
    }

    /** @param now the store's */
    static AgeLimits at(Instant now, BlobLifetime lifetime) {
        Optional<Instant> old = lifetime.floor().isZero() ? Optional.empty() : Optional.of(now.minus(lifetime.floor()));
        return new AgeLimits(lifetime.timeToLive().map(now::minus), old);
    }

    /** Whether a listing holds the blob: a time to live leaves the younger ones out. */
    boolean lists(StoredBlob blob) {
        return listedUpTo.isEmpty() || !blob.stored().isAfter(listedUpTo.get());
    }

    /** Whether the floor protects the blob. */
    boolean spares(StoredBlob blob) {
        return oldUpTo.isPresent() && blob.stored().isAfter(oldUpTo.get());
    }

    /**
     * Whether a generation may hold blobs that are listed. It only saves requests: generations are
     * their writers' time, and those that are clearly too young need no listing.
     */
    boolean mayList(long generation) {
        return listedUpTo.isEmpty() || generation <= minute(listedUpTo.get().plus(StoreClock.MARGIN));
    }

    private static long minute(Instant instant) {
        return Math.floorDiv(instant.toEpochMilli(), BlobId.MILLIS_PER_GENERATION);
    }
}
