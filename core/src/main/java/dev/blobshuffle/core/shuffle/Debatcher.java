package dev.blobshuffle.core.shuffle;

import dev.blobshuffle.core.format.Notification;
import dev.blobshuffle.core.format.Partition;
import dev.blobshuffle.core.format.record.Headers;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The read side of one consumer: an ordered queue of notifications and plain records per partition, whose segments are fetched ahead within the instance's
 * byte budget, decoded lazily and handed out in order with their position. Owned by the consumer's thread.
 *
 * @param <C> what the channel delivers: kept with each item as its carrier and handed back with its records
 */
public interface Debatcher<C> extends AutoCloseable {
    /**
     * Queues a notification.
     *
     * @param offset the notification's position in the channel; rises per partition
     * @param firstRecord index of the first record to hand out; at or above the record count means: the last record
     */
    void offer(Partition partition, long offset, Notification notification, int firstRecord, C carrier);

    /**
     * Queues a plain record, to be handed out as it is when its turn comes.
     *
     * @param offset the record's position in the channel; rises per partition
     * @param bytes the record's size (key and value), which the caller holds already: it counts for {@link #queuedBytes} and {@link #drain}
     */
    void offer(Partition partition, long offset, long bytes, C plain);

    /** Marks a partition as paused by the user: nothing is handed out; fetched bytes stay, and no reserve is spent on it. */
    void pause(Partition partition);

    /** Ends a pause. */
    void resume(Partition partition);

    /** Starts the fetches that the budget allows: the heads of unpaused partitions first, then round robin in order. */
    void prefetch();

    /**
     * Whether {@link #drain} has something to hand out, or to throw. (It may still hand out nothing when bytes turn out to be corrupt, for it then reads
     * them afresh before it gives up.)
     */
    boolean isReady();

    /** Whether any fetch for an unpaused partition is under way. */
    boolean isFetching();

    /** Waits until {@link #isReady()} may have become true, or the time is over. */
    void awaitProgress(Duration timeout) throws InterruptedException;

    /**
     * Hands out records, partitions in turn, each in order.
     *
     * @param maxRecords the most to hand out
     * @param maxBytesPerPartition after this many bytes (keys and values) of one partition the next one has its turn
     * @return the number handed out
     * @throws dev.blobshuffle.core.failure.BlobMissing fatal: the head's blob has been missing for about three seconds. Thrown again by each call; after a second a
     *     call asks the store again, so that a blob that was restored is read
     * @throws dev.blobshuffle.core.failure.BlobCorrupt fatal: the head's bytes are not what was written. Thrown again as {@code BlobMissing} is
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the head was written to another store, or with a codec that is not here
     */
    int drain(int maxRecords, long maxBytesPerPartition, Sink<C> sink);

    /** Position of the next record to hand out; empty when the partition's queue is empty. */
    Optional<Position> head(Partition partition);

    /** Records queued for a partition and not handed out. Cheap. */
    long undelivered(Partition partition);

    /** Items (notifications and plain records) queued for a partition. Cheap. */
    int queuedItems(Partition partition);

    /** Bytes of segments and plain records queued for a partition, fetched or not. Cheap. */
    long queuedBytes(Partition partition);

    /** Forgets a partition's queue and pause and returns its bytes; fetches under way are ignored when they end. */
    void drop(Partition partition);

    /** Forgets every partition. Idempotent. */
    @Override
    void close();

    /**
     * A position between two records.
     *
     * @param offset the channel position of the notification or plain record
     * @param index index in the segment of the next record; 0 for a plain record
     */
    record Position(long offset, int index) {}

    /** Receives what is handed out. When it throws, the position stays before that record. */
    interface Sink<C> {
        /**
         * A record of a segment. The arrays are the receiver's own; the headers are valid during the call only.
         *
         * @param offset channel position of the notification
         * @param index index of the record in its segment
         * @param count number of records in the segment
         */
        void record(
                Partition partition,
                long offset,
                int index,
                int count,
                long timestamp,
                byte @Nullable [] key,
                byte @Nullable [] value,
                Headers headers,
                C carrier);

        /** A plain record, as it was offered. */
        void plain(Partition partition, long offset, C plain);
    }
}
