package dev.blobshuffle.kafka.internal.produce;

import java.time.Duration;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Turns sends into appends and acknowledgements. Kafka Streams has one implementation, and all
 * other applications share another. Each implementation documents its threads.
 */
public interface Sender<K, V> {
    /** {@code Producer.send}. */
    Future<RecordMetadata> send(ProducerRecord<K, V> record, @Nullable Callback callback);

    /** {@code Producer.flush}. */
    void flush();

    /**
     * Makes everything sent durable and delivered before a commit.
     *
     * @throws org.apache.kafka.common.KafkaException recoverable or fatal, as {@link LaneFailures}
     *     describes: records are lost
     */
    void drain();

    /**
     * Checks that the open transaction has lost nothing. Does not flush.
     *
     * @throws org.apache.kafka.common.KafkaException recoverable: records of the transaction are
     *     lost; abort it
     */
    void requireSound();

    /** Drops undelivered records, and clears a loss. */
    void discard();

    /** Closes the lane after a last flush within the timeout. A zero timeout skips the flush. */
    void close(Duration timeout);
}
