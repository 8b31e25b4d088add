package dev.blobshuffle.core.retention;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.format.Notification;
import dev.blobshuffle.core.format.Partition;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Takes what notifications lead to out of the undecided blobs of a listing. Owned by one thread. */
final class ReferenceMarker {
    private final BlobListing listing;
    private final int fingerprint;
    private final LogReach reach;
    private final Set<String> strangers = new TreeSet<>();
    private int needed;
    private long links;
    private Optional<BlobReference> oldest = Optional.empty();

    /** @param reach hears of every notification that can be read */
    ReferenceMarker(BlobListing listing, int fingerprint, LogReach reach) {
        this.reach = reach;
        this.listing = listing;
        this.fingerprint = fingerprint;
    }

    /** Whatever may be a notification counts, marked or not. */
    void mark(Partition partition, long position, Notification notification, boolean isMarked) {
        reach.leadsTo(partition, notification.blob().generation());
        if (notification.store() == fingerprint) {
            links++;
        } else if (isMarked) {
            strangers.add(partition.topic());
        }
        if (listing.decide(notification.blob())) {
            needed++;
            if (oldest.isEmpty() || notification.blob().compareTo(oldest.get().blob()) < 0) {
                oldest = Optional.of(new BlobReference(notification.blob(), partition, position));
            }
        }
    }

    /**
     * Checks that no notification leads to another store.
     *
     * @throws InvalidSettings one does: this is not the cluster of the store
     */
    void requireOwn() {
        if (!strangers.isEmpty()) {
            throw new InvalidSettings(
                    "Cannot sweep: notifications in topics " + strangers
                            + " lead to another store, so this may be another cluster than the one that uses this store. Check the brokers and the store that the settings name.");
        }
    }

    /** Number of notifications to this store. */
    long links() {
        return links;
    }

    /** Number of blobs that are needed. */
    int needed() {
        return needed;
    }

    /** The oldest blob that is needed. */
    Optional<BlobReference> oldest() {
        return oldest;
    }
}
