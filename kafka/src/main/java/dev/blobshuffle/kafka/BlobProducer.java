package dev.blobshuffle.kafka;

import dev.blobshuffle.kafka.internal.client.ClientSettings;
import dev.blobshuffle.kafka.internal.produce.ProducerOpening;
import dev.blobshuffle.kafka.internal.produce.ShuffleProducer;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * A Kafka producer whose records go into blobs: for topics that shuffle through blobs only a
 * notification per segment is sent to the broker, once its blob is durable, and inside the open
 * transaction if there is one. Order per partition is that of the sends. Other topics pass
 * untouched.
 *
 * <p>Everything else is the contract of {@link Producer}. A batch that cannot be stored in time is
 * lost as a whole: its sends fail, and in a transaction {@code send} and the commit throw until the
 * abort. Offsets in acknowledgements are virtual, those that a {@link BlobConsumer} shows.
 *
 * <p>Thread-safe, as Kafka's own producer.
 */
public final class BlobProducer<K, V> extends ShuffleProducer<K, V> {
    /**
     * A producer for any application. It shares the store, the memory budgets, the batches and the
     * metrics with all clients of the process that have the same {@code blobshuffle.*} settings.
     *
     * @param settings those of a Kafka producer, serializers included, and {@code blobshuffle.*}
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the settings cannot work; the
     *     message says what to change
     */
    public BlobProducer(Map<String, ?> settings) {
        super(ProducerOpening.open(settings, null, null));
    }

    /** As {@link #BlobProducer(Map)}. */
    public BlobProducer(Properties settings) {
        super(ProducerOpening.open(ClientSettings.toMap(settings), null, null));
    }

    /** As {@link #BlobProducer(Map)}, with serializers that are ready to use. */
    public BlobProducer(Map<String, ?> settings, Serializer<K> keys, Serializer<V> values) {
        super(ProducerOpening.open(settings, keys, values));
    }
}
