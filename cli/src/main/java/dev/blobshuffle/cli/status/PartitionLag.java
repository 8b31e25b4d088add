package dev.blobshuffle.cli.status;

import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * How far the application is behind in a partition.
 *
 * @param partition which
 * @param committed real offset that it has committed; empty if none
 * @param end real offset after the last readable record
 * @param held entries between the start of the log and its end, transaction markers included
 * @param notifications those that it has still to read
 * @param records what these stand for, and plain records
 * @param bytes stored bytes of the segments of these notifications
 * @param oldestMillis when the first of them was written: its timestamp, or the minute in which its
 *     blob was sealed if that is later; empty if nothing is left
 * @param isCut whether there are more than were looked at
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
    /** How long ago the first unread record was written; 0 if nothing is left. */
    long behindMillis(long nowMillis) {
        return oldestMillis.map(oldest -> Math.max(0, nowMillis - oldest)).orElse(0L);
    }
}
