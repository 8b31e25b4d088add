package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.kafka.internal.client.ClientOpening;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The application's classes for a producer of Kafka Streams: its partitioner and its interceptors.
 * The wrapper calls them, because the real producer sees notifications. Owned by the wrapper.
 */
public final class ProducerPlugins implements AutoCloseable {
    private final Partitioning partitioning;
    private final ProducerInterceptorChain<byte[], byte[]> interceptors;
    private final Map<String, Object> real;

    private ProducerPlugins(
            Partitioning partitioning,
            ProducerInterceptorChain<byte[], byte[]> interceptors,
            Map<String, Object> real) {
        this.partitioning = partitioning;
        this.interceptors = interceptors;
        this.real = real;
    }

    /** No application classes: Kafka's default partitioning, and no interceptors. */
    public static ProducerPlugins none() {
        return new ProducerPlugins(Partitioning.DEFAULT, new ProducerInterceptorChain<>(List.of()), Map.of());
    }

    /**
     * Makes and configures the classes that a producer's settings name, as Kafka's producer does.
     *
     * <p>The real producer keeps {@code partitioner.class}: it makes its own instance for topics
     * that do not shuffle through blobs.
     *
     * @param settings Kafka Streams' settings for the producer
     * @throws org.apache.kafka.common.KafkaException fatal: a class cannot be made
     */
    public static ProducerPlugins open(Map<String, Object> settings) {
        Map<String, Object> complete = new HashMap<>(settings);
        complete.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        complete.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        AbstractConfig config = new AbstractConfig(ProducerConfig.configDef(), complete, false);
        try (ClientOpening opening = new ClientOpening(config, "producer")) {
            List<ProducerInterceptor<byte[], byte[]>> interceptors = opening.interceptors(ProducerInterceptor.class);
            Partitioning partitioning = opening.keep(Partitioning.of(config, opening.forPlugins()));
            opening.succeeded();
            return new ProducerPlugins(
                    partitioning, new ProducerInterceptorChain<>(interceptors), opening.real(settings));
        }
    }

    /**
     * As {@link #open}, but without interceptors, for operators: the real producer sends their
     * records.
     */
    public static ProducerPlugins openPartitioner(Map<String, Object> settings) {
        Map<String, Object> without = new HashMap<>(settings);
        without.remove(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG);
        return open(without);
    }

    /** The application's partitioner, open until {@link #close()}; empty for Kafka's default. */
    public Optional<Partitioner> partitioner() {
        return Optional.ofNullable(partitioning.custom());
    }

    /** Whether the default partitioner treats all records as records without a key. */
    public boolean ignoresKeys() {
        return partitioning.keys() == Partitioning.Keys.IGNORED;
    }

    /** The settings of the real producer: without interceptors. */
    public Map<String, Object> realSettings() {
        return real;
    }

    Partitioning partitioning() {
        return partitioning;
    }

    public ProducerInterceptorChain<byte[], byte[]> interceptors() {
        return interceptors;
    }

    @Override
    public void close() {
        interceptors.close();
        partitioning.close();
    }
}
