package dev.blobshuffle.kafka;

import dev.blobshuffle.kafka.internal.client.ClientSettings;
import dev.blobshuffle.kafka.internal.consume.ConsumerOpening;
import dev.blobshuffle.kafka.internal.consume.ShuffleConsumer;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * A Kafka consumer whose records come out of blobs: of topics that shuffle through blobs it reads
 * notifications, fetches what they refer to, and returns the original records in order, with key,
 * value, headers and timestamp. Plain records in the same partition come in their turn. Offsets are
 * virtual: one notification stands for many records, so that a commit may fall in the middle of it
 * and a restart goes on at the exact record; {@code offset() + 1} is the position after a record,
 * as ever. Offsets of different partitions, tools or native clients are not comparable.
 *
 * <p>Everything else is the contract of {@link Consumer}, its failures included. In addition
 * {@code poll} throws a {@link org.apache.kafka.common.KafkaException} whose cause is a
 * {@code BlobMissing}, {@code BlobCorrupt} or {@code InvalidSettings} when the next record of a
 * partition cannot be read for good; the position stays before it. While the store does not answer,
 * {@code poll} returns nothing and the lag grows.
 *
 * <p>Owned by one thread, as every Kafka consumer; only {@link #wakeup()} may come from others.
 */
public final class BlobConsumer<K, V> extends ShuffleConsumer<K, V> {
    /**
     * A consumer for any application. It shares the store, the memory budgets and the metrics with
     * all clients of the process that have the same {@code blobshuffle.*} settings.
     *
     * @param settings those of a Kafka consumer, deserializers included, and {@code blobshuffle.*}
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the settings cannot work; the
     *     message says what to change
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
}
