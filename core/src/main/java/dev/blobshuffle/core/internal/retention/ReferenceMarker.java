package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Marks the blobs of a listing that have notifications as decided, so that they are kept. Owned by
 * one thread.
 */
final class ReferenceMarker {
    private final BlobListing listing;
    private final int fingerprint;
    private final LogReach reach;
    private final Set<String> strangers = new TreeSet<>();
    private int needed;
    private long links;
    private Optional<BlobReference> oldest = Optional.empty();

    /** @param reach receives every readable notification */
    ReferenceMarker(BlobListing listing, int fingerprint, LogReach reach) {
        this.reach = reach;
        this.listing = listing;
        this.fingerprint = fingerprint;
    }

    /** Every possible notification counts, marked or not. */
    void mark(Partition partition, long position, Notification notification, boolean isMarked) {
        reach.leadsTo(partition, notification.blob().generation());
        if (notification.store() == fingerprint) {
            links++;
        } else if (isMarked) {
            strangers.add(partition.stream());
        }
        if (listing.decide(notification.blob())) {
            needed++;
            if (oldest.isEmpty() || notification.blob().compareTo(oldest.get().blob()) < 0) {
                oldest = Optional.of(new BlobReference(notification.blob(), partition, position));
            }
        }
    }

    /**
     * Checks that no notification refers to a blob in another store.
     *
     * @throws InvalidSettingsException a notification does, so this is not the cluster of the store
     */
    void requireOwn() {
        if (!strangers.isEmpty()) {
            throw new InvalidSettingsException(
                    "Cannot sweep: notifications in topics " + strangers
                            + " refer to another store, so this may not be the cluster that uses this store. Check the brokers and the store in the settings.");
        }
    }

    /** Number of notifications to this store. */
    long links() {
        return links;
    }

    /** Number of needed blobs. */
    int needed() {
        return needed;
    }

    /** The oldest needed blob. */
    Optional<BlobReference> oldest() {
        return oldest;
    }
}
