package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.kafka.internal.client.ConsumerWiring;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;

/**
 * A consumer that reads records from blobs, for a stream thread of Kafka Streams. It wraps a ready
 * consumer, which must not commit by itself and must have no interceptors. Owned by that thread.
 */
public final class StreamsConsumer extends ShuffleConsumer<byte[], byte[]> {
    private StreamsConsumer(ConsumerParts<byte[], byte[]> parts) {
        super(parts);
    }

    /**
     * Wraps a ready consumer, without application classes.
     *
     * @param delegate the ready consumer; closed with the new one
     * @param engine the instance's engine; stays open
     */
    public static StreamsConsumer wrap(Consumer<byte[], byte[]> delegate, Engine engine, ConsumerWiring wiring) {
        return wrap(delegate, engine, wiring, ConsumerPlugins.none());
    }

    /**
     * As {@link #wrap(Consumer, Engine, ConsumerWiring)}, with application classes.
     *
     * @param plugins closed with the new consumer
     */
    public static StreamsConsumer wrap(
            Consumer<byte[], byte[]> delegate, Engine engine, ConsumerWiring wiring, ConsumerPlugins plugins) {
        return new StreamsConsumer(new ConsumerParts<>(
                delegate,
                engine,
                wiring,
                new RecordDeserializer.Bytes(),
                plugins.interceptors(),
                null,
                Duration.ofMinutes(1),
                plugins.realSettings().isEmpty() ? null : NotificationReaders.of(plugins.realSettings()),
                Reset.REAL,
                Map::of,
                () -> {}));
    }

    /**
     * Drops the queues of partitions that were revoked without a call of a
     * {@link ConsumerRebalanceListener} (Kafka Streams' own group protocol). Call it after the
     * owner of the partitions has committed.
     */
    @Override
    public void forget(Collection<TopicPartition> revoked) {
        super.forget(revoked);
    }

    /**
     * Adds partitions that were assigned without a call of a {@link ConsumerRebalanceListener}.
     * Partitions that the consumer already has are ignored. Call it before the owner of the
     * partitions queries positions.
     */
    @Override
    public void takeOver(Collection<TopicPartition> assigned) {
        super.takeOver(assigned);
    }

    /** Drops the queues of all partitions, because all were lost. */
    @Override
    public void forgetAll() {
        super.forgetAll();
    }

    /**
     * Warns if none of the topics to read shuffles through blobs. {@code subscribe} calls it too;
     * call it yourself for a subscription that does not go through this consumer (Kafka Streams'
     * own protocol).
     */
    @Override
    public void reads(Collection<String> topics) {
        super.reads(topics);
    }
}
