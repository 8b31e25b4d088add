package dev.blobshuffle.messaging;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Publishes records. Its name fences its predecessor: when a publisher of the same name is opened,
 * this one can publish nothing more. Thread-safe outside transactions; in a transaction, only the
 * thread that opened it publishes.
 *
 * <p>Order: records of one publisher and one partition keep the order in which they are published.
 * If a batch is lost, all its records are lost, together with all records that were published later
 * and before the failure is reported.
 */
public interface Publisher<K, V> extends AutoCloseable {
    /** The name that fences. */
    String name();

    /**
     * Publishes a record. Copies the bytes into the batch and returns; blocks only while the write
     * budget is full.
     *
     * @return completes when the record is durable and in the log, or fails if its batch does; in a
     *     transaction, it completes with the commit
     * @throws dev.blobshuffle.core.failure.RecordTooLargeException fatal for this record: it is
     *     larger than {@code blobshuffle.record.max.bytes}
     * @throws dev.blobshuffle.core.failure.MemoryExhaustedException recoverable: the write budget
     *     stayed full for longer than an append may wait
     * @throws dev.blobshuffle.log.failure.TopicAbsentException recoverable: create the topic
     * @throws dev.blobshuffle.log.failure.WriterFencedException fatal: another publisher has the
     *     name
     * @throws dev.blobshuffle.core.failure.BlobShuffleException recoverable: an earlier batch was
     *     lost; thrown once, afterwards the publisher works again
     */
    CompletionStage<Acknowledgement> publish(OutgoingRecord<K, V> record);

    /**
     * Publishes a record with the current time in the partition of its key. As
     * {@link #publish(OutgoingRecord)}.
     */
    default CompletionStage<Acknowledgement> publish(String topic, @Nullable K key, @Nullable V value) {
        return publish(new OutgoingRecord<>(topic, key, value));
    }

    /**
     * Waits until every earlier record is durable and in the log.
     *
     * @throws dev.blobshuffle.core.failure.DeadlineExceededException recoverable: not done in time
     * @throws dev.blobshuffle.core.failure.BlobShuffleException recoverable: a batch was lost
     */
    void flush(Duration timeout);

    /** Flushes within the delivery timeout, then releases everything. Idempotent. */
    @Override
    void close();
}
