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
 * A consumer of blobs around a ready one, for Kafka Streams. The ready consumer must not commit by
 * itself nor have interceptors. Owned by its stream thread.
 */
public final class StreamsConsumer extends ShuffleConsumer<byte[], byte[]> {
    private StreamsConsumer(ConsumerParts<byte[], byte[]> parts) {
        super(parts);
    }

    /**
     * A consumer without classes of the application.
     *
     * @param delegate the ready consumer; closed with the new one
     * @param engine the instance's engine; stays open
     */
    public static StreamsConsumer wrap(Consumer<byte[], byte[]> delegate, Engine engine, ConsumerWiring wiring) {
        return wrap(delegate, engine, wiring, ConsumerPlugins.none());
    }

    /**
     * As {@link #wrap(Consumer, Engine, ConsumerWiring)}, with the application's classes.
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
                null,
                Map::of,
                () -> {}));
    }

    /**
     * Forgets what is queued for partitions that were taken away without a
     * {@link ConsumerRebalanceListener} hearing of it (Kafka Streams' own group protocol). Call it
     * after their owner has committed.
     */
    @Override
    public void forget(Collection<TopicPartition> revoked) {
        super.forget(revoked);
    }

    /**
     * Takes over partitions that were assigned without a {@link ConsumerRebalanceListener} hearing
     * of it. Those that the consumer still has do no harm. Call it before their owner asks for
     * positions.
     */
    @Override
    public void takeOver(Collection<TopicPartition> assigned) {
        super.takeOver(assigned);
    }

    /** Forgets what is queued for every partition: all were lost. */
    @Override
    public void forgetAll() {
        super.forgetAll();
    }

    /**
     * Warns if none of the topics that will be read shuffles through blobs. {@code subscribe} does
     * so itself; call it for a subscription that does not pass here (Kafka Streams' own protocol).
     */
    @Override
    public void reads(Collection<String> topics) {
        super.reads(topics);
    }
}
