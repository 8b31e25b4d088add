package dev.blobshuffle.log.internal.entries;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.record.RecordCursor;
import java.util.List;

/**
 * The decoded entries of a batch, limited to the partitions that a reader asked for.
 *
 * @param runs of these partitions: partitions ascending, each in the order in which its writer
 *     appended
 * @param records number of records of the whole batch
 */
public record Entries(List<Run> runs, int records) {
    /** The most records of a batch: an index takes 24 bits. */
    public static final int MAX_RECORDS = (1 << 24) - 1;

    /** Copies the list. */
    public Entries {
        runs = List.copyOf(runs);
    }

    /** Consecutive records of one partition. */
    public sealed interface Run {
        /** The partition's number. */
        int partition();

        /**
         * The index of the first record, counted over all records of the batch in the order of its
         * entries. Rises per partition.
         */
        int firstIndex();

        /** Number of records, 1 or more. */
        int records();
    }

    /**
     * Records in a blob.
     *
     * @param notification refers to them
     * @param earliest the smallest timestamp of the records, milliseconds
     * @param latest the largest timestamp of the records, milliseconds
     */
    public record SegmentRun(int partition, int firstIndex, Notification notification, long earliest, long latest)
            implements Run {
        @Override
        public int records() {
            return notification.records();
        }
    }

    /**
     * Records in the entries themselves. Valid as long as the entries' bytes do not change.
     *
     * @param baseTimestamp the base of the first record's timestamp delta, milliseconds
     * @param array holds the records, one after another
     * @param offset of the records in the array
     * @param length their bytes
     */
    @SuppressWarnings("ArrayRecordComponent") // Two runs are never compared.
    public record PlainRun(
            int partition, int firstIndex, int records, long baseTimestamp, byte[] array, int offset, int length)
            implements Run {
        /** Starts a cursor over the records. It cannot fail, because decoding has checked them. */
        public void reset(RecordCursor cursor) {
            cursor.reset(array, offset, length, records, baseTimestamp);
        }
    }
}
