package dev.blobshuffle.kafka.internal.produce;

import java.time.Duration;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * How sends become appends and acknowledgements; one way for Kafka Streams and one for every other
 * application. Threads: as each says.
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
     *     says: something is lost
     */
    void drain();

    /**
     * Returns if the open transaction may go on. Does not flush.
     *
     * @throws org.apache.kafka.common.KafkaException recoverable: something that it sent is lost;
     *     abort it
     */
    void requireSound();

    /** Drops what is not delivered, and a loss with it. */
    void discard();

    /**
     * Ends the lane, after a last flush within the timeout; nothing is waited for when it is zero.
     */
    void close(Duration timeout);
}
