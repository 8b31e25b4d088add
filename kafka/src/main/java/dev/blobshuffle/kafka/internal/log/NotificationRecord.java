package dev.blobshuffle.kafka.internal.log;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * A notification as a Kafka record: no key, the encoded notification as the value, and a header
 * that marks the record. Readers check the header and the first bytes of the value, so a user's
 * record is never mistaken for a notification. Stateless.
 */
public final class NotificationRecord {
    /** Name of the header that marks a notification; its value is the version of the mark. */
    public static final String HEADER = "__bs";

    private static final List<Header> HEADERS = List.of(new RecordHeader(HEADER, new byte[] {1}));

    private NotificationRecord() {}

    /**
     * The record to send. Its timestamp keeps time-based retention and {@code offsetsForTimes}
     * correct.
     */
    public static ProducerRecord<byte[], byte[]> of(Partition partition, Notification notification, long timestamp) {
        return new ProducerRecord<>(
                partition.stream(),
                partition.number(),
                timestamp,
                null,
                NotificationCodec.encode(notification),
                HEADERS);
    }

    /** Whether a record is a notification. The check is cheap for other records. */
    public static boolean isNotification(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null && isMarked(record);
    }

    /**
     * Whether a record is a notification of explicit operators. Kafka Streams sends these under a
     * key, because it drops records without a key.
     */
    public static boolean isNotificationOfOperators(ConsumerRecord<byte[], byte[]> record) {
        return record.key() != null && isMarked(record);
    }

    private static boolean isMarked(ConsumerRecord<byte[], byte[]> record) {
        return NotificationCodec.isNotification(record.value())
                && record.headers().lastHeader(HEADER) != null;
    }
}
