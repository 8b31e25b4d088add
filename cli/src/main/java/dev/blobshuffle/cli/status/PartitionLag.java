package dev.blobshuffle.cli.status;

import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * The lag of the application in a partition.
 *
 * @param partition the partition
 * @param committed real offset that it has committed; empty if none
 * @param end real offset after the last readable record
 * @param held entries from the start of the log to its end, including transaction markers
 * @param notifications that the application has not read yet
 * @param records in these notifications, plus plain records
 * @param bytes stored bytes of the segments of these notifications
 * @param oldestMillis time at which the first of them was written: its timestamp, or the minute in
 *     which its blob was sealed if that is later; empty if everything is read
 * @param isCut whether there are more entries than were read
 */
record PartitionLag(
        TopicPartition partition,
        Optional<Long> committed,
        long end,
        long held,
        long notifications,
        long records,
        long bytes,
        Optional<Long> oldestMillis,
        boolean isCut) {
    /** The age of the first unread record; 0 if everything is read. */
    long behindMillis(long nowMillis) {
        return oldestMillis.map(oldest -> Math.max(0, nowMillis - oldest)).orElse(0L);
    }
}
