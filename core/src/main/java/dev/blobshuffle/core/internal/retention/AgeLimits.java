package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.StoredBlob;
import java.time.Instant;
import java.util.Optional;

/**
 * Which blobs are old enough, at one moment of the store's clock. A blob is as old as the later of
 * two times says: when the store says it was stored, and the minute in its id. The store's times
 * alone would do if its clock never went back: a blob that was stored meanwhile has a time of long
 * ago, for good. The writer's minute can only make a blob younger. Immutable.
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
        return listedUpTo.isEmpty() || !since(blob).isAfter(listedUpTo.get());
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
     * Whether a generation may hold blobs that are listed. It only saves requests: those that are
     * too young need no listing.
     */
    boolean mayList(long generation) {
        return listedUpTo.isEmpty() || generation <= minute(listedUpTo.get());
    }

    private static long minute(Instant instant) {
        return Math.floorDiv(instant.toEpochMilli(), BlobId.MILLIS_PER_GENERATION);
    }
}
