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
 * A notification as a Kafka record: no key, the codec's bytes as the value, and a header that marks
 * it. Readers test the header and the first bytes of the value, so that a user's record is never
 * mistaken for one. Stateless.
 */
public final class NotificationRecord {
    /** Name of the marking header; its value is the version of this marking. */
    public static final String HEADER = "__bs";

    private static final List<Header> HEADERS = List.of(new RecordHeader(HEADER, new byte[] {1}));

    private NotificationRecord() {}

    /**
     * The record to send; its timestamp keeps retention by time and {@code offsetsForTimes} right.
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

    /** Whether a record is a notification: cheap for records that are not. */
    public static boolean isNotification(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null && isMarked(record);
    }

    /**
     * Whether a record is a notification of explicit operators, which Kafka Streams sends under a
     * key: it drops records without one.
     */
    public static boolean isNotificationOfOperators(ConsumerRecord<byte[], byte[]> record) {
        return record.key() != null && isMarked(record);
    }

    private static boolean isMarked(ConsumerRecord<byte[], byte[]> record) {
        return NotificationCodec.isNotification(record.value())
                && record.headers().lastHeader(HEADER) != null;
    }
}
