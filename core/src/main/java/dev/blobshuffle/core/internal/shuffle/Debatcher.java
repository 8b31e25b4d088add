package dev.blobshuffle.core.internal.shuffle;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.RecordView;
import java.time.Duration;
import java.util.Optional;

/**
 * The read side of one consumer. It queues notifications and plain records per partition, in order.
 * It fetches their segments ahead within the instance's byte budget, decodes them lazily, and
 * returns the records in order with their positions. Owned by the consumer's thread.
 *
 * @param <C> the channel's own item, kept as the carrier and passed on with its records
 */
public interface Debatcher<C> extends AutoCloseable {
    /**
     * Queues a notification.
     *
     * @param offset the notification's position in the channel; rises per partition
     * @param firstRecord index of the first record to return; at or above the record count: the
     *     last record
     */
    void offer(Partition partition, long offset, Notification notification, int firstRecord, C carrier);

    /**
     * Queues a plain record, which is returned unchanged in its turn.
     *
     * @param offset the record's position in the channel; rises per partition
     * @param bytes the record's size (key and value), whose memory the caller holds; counts for
     *     {@link #queuedBytes} and {@link #drain}
     */
    void offer(Partition partition, long offset, long bytes, C plain);

    /**
     * Marks a partition as paused by the user. Its records are not returned, fetched bytes stay,
     * and no reserve is spent on it.
     */
    void pause(Partition partition);

    /** Ends a pause. */
    void resume(Partition partition);

    /**
     * Starts the fetches that the budget allows: first the heads of unpaused partitions, then
     * further segments in the order of their sections.
     */
    void prefetch();

    /**
     * Whether {@link #drain} has a record to return or a failure to throw. {@code drain} may still
     * return no record if bytes are corrupt, because it reads them again before it fails.
     */
    boolean isReady();

    /**
     * Whether a fetch for an unpaused partition is in flight, its head waits for its key, or it
     * waits for other Debatchers to make room.
     */
    boolean isFetching();

    /** Waits until {@link #isReady()} may have become true, or the timeout ends. */
    void awaitProgress(Duration timeout) throws InterruptedException;

    /**
     * Returns records: a segment of one partition after the other, and each partition in order.
     *
     * @param maxRecords the most records to return
     * @param maxBytesPerPartition after this many bytes (keys and values), a partition returns no
     *     more
     * @return the number of records returned
     * @throws dev.blobshuffle.core.failure.BlobMissingException fatal: the head's blob has been
     *     missing for about three seconds. Each call throws it again. After a second, a call asks
     *     the store again, so that a restored blob is read
     * @throws dev.blobshuffle.core.failure.BlobCorruptException fatal: the head's bytes differ from
     *     the written ones. Thrown again as {@code BlobMissingException} is
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the head was written to
     *     another store, or with a codec that is not available, or this instance has no keys. Also
     *     if the head's key was not available for {@code blobshuffle.encryption.key.timeout.ms}:
     *     thrown again as {@code BlobMissingException} is, and recoverable once the key is
     *     available
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the source of
     *     keys has not answered for that time
     */
    int drain(int maxRecords, long maxBytesPerPartition, Sink<C> sink);

    /** Position of the next record to return; empty if the partition's queue is empty. */
    Optional<Position> head(Partition partition);

    /** Records queued for a partition and not returned yet. Cheap. */
    long undelivered(Partition partition);

    /** Items (notifications and plain records) queued for a partition. Cheap. */
    int queuedItems(Partition partition);

    /** Bytes of segments and plain records queued for a partition, fetched or not. Cheap. */
    long queuedBytes(Partition partition);

    /**
     * Drops a partition's queue and pause and releases its bytes. Fetches in flight are ignored
     * when they end.
     */
    void drop(Partition partition);

    /** Drops every partition. Idempotent. */
    @Override
    void close();

    /**
     * A position between two records.
     *
     * @param offset the channel position of the notification or plain record
     * @param index index in the segment of the next record; 0 for a plain record
     */
    record Position(long offset, int index) {}

    /** Receives the records. If it throws, the position stays before that record. */
    interface Sink<C> {
        /**
         * A record of a segment.
         *
         * @param offset channel position of the notification
         * @param index index of the record in its segment
         * @param count number of records in the segment
         * @param record the record where it lies; valid during the call only. The receiver owns the
         *     arrays that {@link RecordView#key} and {@link RecordView#value} return
         */
        void record(Partition partition, long offset, int index, int count, RecordView record, C carrier);

        /** A plain record, unchanged. */
        void plain(Partition partition, long offset, C plain);
    }
}
