package dev.blobshuffle.kafka;

import dev.blobshuffle.kafka.internal.client.ClientSettings;
import dev.blobshuffle.kafka.internal.consume.ConsumerOpening;
import dev.blobshuffle.kafka.internal.consume.ShuffleConsumer;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * A Kafka consumer that reads records from blobs. For topics that shuffle through blobs, it reads
 * notifications, fetches the segments that they refer to, and returns the original records in
 * order, with key, value, headers and timestamp. Plain records of the same partition are returned
 * in their order too.
 *
 * <p>Offsets are virtual, because one notification stands for many records. A commit may refer to a
 * record inside a segment, and a restart continues at exactly that record. As usual,
 * {@code offset() + 1} is the position after a record. Virtual offsets are not comparable with
 * offsets of other partitions, of tools or of native clients.
 *
 * <p>Otherwise the contract of {@link Consumer} applies, including its failures. In addition,
 * {@code poll} throws a {@link org.apache.kafka.common.KafkaException} with a
 * {@code BlobMissingException}, {@code BlobCorruptException} or {@code InvalidSettingsException} as
 * its cause if the next record of a partition is permanently unreadable. The position stays before
 * that record. While the store does not answer, {@code poll} returns nothing and the lag grows.
 *
 * <p>Owned by one thread, as every Kafka consumer. Only {@link #wakeup()} may be called from other
 * threads.
 */
public final class BlobConsumer<K, V> extends ShuffleConsumer<K, V> {
    /**
     * A consumer for any application. It shares the store, the memory budgets and the metrics with
     * all clients of the process that have the same {@code blobshuffle.*} settings.
     *
     * @param settings settings of a Kafka consumer, including deserializers, and
     *     {@code blobshuffle.*}
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the settings cannot
     *     work; the message says what to change
     */
    public BlobConsumer(Map<String, ?> settings) {
        super(ConsumerOpening.open(settings, null, null));
    }

    /** As {@link #BlobConsumer(Map)}. */
    public BlobConsumer(Properties settings) {
        super(ConsumerOpening.open(ClientSettings.toMap(settings), null, null));
    }

    /** As {@link #BlobConsumer(Map)}, with deserializers that are ready to use. */
    public BlobConsumer(Map<String, ?> settings, Deserializer<K> keys, Deserializer<V> values) {
        super(ConsumerOpening.open(settings, keys, values));
    }

    /** As {@link #BlobConsumer(Map, Deserializer, Deserializer)}. */
    public BlobConsumer(Properties settings, Deserializer<K> keys, Deserializer<V> values) {
        super(ConsumerOpening.open(ClientSettings.toMap(settings), keys, values));
    }
}
