package dev.blobshuffle.kafka.retention;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.format.Notification;
import dev.blobshuffle.core.format.NotificationCodec;
import dev.blobshuffle.core.format.Partition;
import dev.blobshuffle.kafka.NotificationRecord;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Takes what notifications lead to out of the undecided blobs of a listing. Owned by one thread. */
final class Marks {
    private final BlobListing listing;
    private final int fingerprint;
    private final LogReach reach;
    private final Set<String> strangers = new TreeSet<>();
    private int needed;
    private long links;
    private Optional<Need> oldest = Optional.empty();

    /** @param reach hears of every notification that can be read */
    Marks(BlobListing listing, int fingerprint, LogReach reach) {
        this.reach = reach;
        this.listing = listing;
        this.fingerprint = fingerprint;
    }

    /** Whatever may be a notification counts, with or without its header; one that cannot be read ends the sweep. */
    void mark(ConsumerRecord<byte[], byte[]> record) {
        if (!NotificationCodec.isNotification(record.value())) {
            return;
        }
        boolean isMarked = record.headers().lastHeader(NotificationRecord.HEADER) != null;
        try {
            Notification notification = NotificationCodec.decode(record.value());
            reach.leadsTo(
                    new Partition(record.topic(), record.partition()),
                    notification.blob().generation());
            if (notification.store() == fingerprint) {
                links++;
            }
            if (listing.decide(notification.blob())) {
                needed++;
                note(notification, record);
            }
            if (isMarked && notification.store() != fingerprint) {
                strangers.add(record.topic());
            }
        } catch (BlobCorrupt e) {
            if (isMarked) {
                throw new BlobCorrupt(
                        "Cannot sweep: nobody knows to which blob the notification at offset " + record.offset()
                                + " of " + record.topic() + "-" + record.partition()
                                + " leads. Wait until the log has let it go, or give it up by deleting records.",
                        e);
            }
        }
    }

    private void note(Notification notification, ConsumerRecord<byte[], byte[]> record) {
        if (oldest.isEmpty() || notification.blob().compareTo(oldest.get().blob()) < 0) {
            oldest = Optional.of(new Need(
                    notification.blob(), new TopicPartition(record.topic(), record.partition()), record.offset()));
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
    Optional<Need> oldest() {
        return oldest;
    }
}
