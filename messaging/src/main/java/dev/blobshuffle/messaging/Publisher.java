package dev.blobshuffle.messaging;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Publishes records. Its name fences its predecessor: when a publisher of the same name is opened,
 * this one can publish nothing more. Thread-safe outside transactions; in one, only the thread that
 * opened it publishes.
 *
 * <p>Order: records of one publisher and one partition stay in the order of their publishes. A
 * batch that is lost is lost as a whole, and so is everything published after it and before the
 * failure is seen.
 */
public interface Publisher<K, V> extends AutoCloseable {
    /** The name that fences. */
    String name();

    /**
     * Publishes a record. Copies the bytes into the batch and returns; blocks only while the write
     * budget is full.
     *
     * @return completes when the record is durable and in the log, or fails as the batch did. In a
     *     transaction it completes with the commit
     * @throws dev.blobshuffle.core.failure.RecordTooLarge fatal for this record: it is larger than
     *     {@code blobshuffle.record.max.bytes}
     * @throws dev.blobshuffle.core.failure.MemoryExhausted recoverable: the write budget stayed
     *     full for the time an append may wait
     * @throws dev.blobshuffle.log.failure.TopicAbsent recoverable: create the topic
     * @throws dev.blobshuffle.log.failure.WriterFenced fatal: another publisher has the name
     * @throws dev.blobshuffle.core.failure.BlobShuffleException recoverable: an earlier batch was
     *     lost; thrown once, afterwards the publisher works again
     */
    CompletionStage<Acknowledgement> publish(OutgoingRecord<K, V> record);

    /** Publishes a record of now in the partition of its key. As the other. */
    default CompletionStage<Acknowledgement> publish(String topic, @Nullable K key, @Nullable V value) {
        return publish(new OutgoingRecord<>(topic, key, value));
    }

    /**
     * Waits until everything published before is durable and in the log.
     *
     * @throws dev.blobshuffle.core.failure.DeadlineExceeded recoverable: not done in time
     * @throws dev.blobshuffle.core.failure.BlobShuffleException recoverable: a batch was lost
     */
    void flush(Duration timeout);

    /** Flushes within the delivery timeout, then releases everything. Idempotent. */
    @Override
    void close();
}
