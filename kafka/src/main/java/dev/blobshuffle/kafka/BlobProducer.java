package dev.blobshuffle.kafka;

import dev.blobshuffle.kafka.internal.client.ClientSettings;
import dev.blobshuffle.kafka.internal.produce.ProducerOpening;
import dev.blobshuffle.kafka.internal.produce.ShuffleProducer;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * A Kafka producer that writes records to blobs. For topics that shuffle through blobs, it sends
 * only one notification per segment to the broker, after the blob is durable. If a transaction is
 * open, the notification is part of the transaction. The order per partition is the order of the
 * sends. Records of other topics are sent unchanged.
 *
 * <p>Otherwise the contract of {@link Producer} applies. If a batch cannot be stored in time, all
 * of its records are lost: their sends fail. In a transaction, {@code send} and the commit then
 * throw until the transaction is aborted. Offsets in acknowledgements are virtual, as a
 * {@link BlobConsumer} shows them.
 *
 * <p>Thread-safe, as Kafka's own producer.
 */
public final class BlobProducer<K, V> extends ShuffleProducer<K, V> {
    /**
     * A producer for any application. It shares the store, the memory budgets, the batches and the
     * metrics with all clients of the process that have the same {@code blobshuffle.*} settings.
     *
     * @param settings settings of a Kafka producer, including serializers, and
     *     {@code blobshuffle.*}
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the settings cannot
     *     work; the message says what to change
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

    /** As {@link #BlobProducer(Map, Serializer, Serializer)}. */
    public BlobProducer(Properties settings, Serializer<K> keys, Serializer<V> values) {
        super(ProducerOpening.open(ClientSettings.toMap(settings), keys, values));
    }
}
