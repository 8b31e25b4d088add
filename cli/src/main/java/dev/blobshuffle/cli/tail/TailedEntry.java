package dev.blobshuffle.cli.tail;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.kafka.internal.log.NotificationRecord;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * One entry of a partition's log.
 *
 * @param record from the broker
 * @param notification its content; empty for a plain record
 * @param failure why a notification is unreadable; empty if it is readable
 */
record TailedEntry(
        ConsumerRecord<byte[], byte[]> record, Optional<Notification> notification, Optional<String> failure) {
    static TailedEntry of(ConsumerRecord<byte[], byte[]> record) {
        if (!NotificationRecord.isNotification(record) && !NotificationRecord.isNotificationOfOperators(record)) {
            return new TailedEntry(record, Optional.empty(), Optional.empty());
        }
        try {
            return new TailedEntry(record, Optional.of(NotificationCodec.decode(record.value())), Optional.empty());
        } catch (BlobShuffleException e) {
            return new TailedEntry(record, Optional.empty(), Optional.of(String.valueOf(e.getMessage())));
        }
    }

    /** The number of records of the entry. */
    int records() {
        return notification.map(Notification::records).orElse(1);
    }
}
