package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.kafka.internal.client.ClientOpening;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The application's interceptors for a consumer of Kafka Streams. The wrapper calls them, because
 * the real consumer sees notifications. Owned by the wrapper.
 */
public final class ConsumerPlugins {
    private final ConsumerInterceptorChain<byte[], byte[]> interceptors;
    private final Map<String, Object> real;

    private ConsumerPlugins(ConsumerInterceptorChain<byte[], byte[]> interceptors, Map<String, Object> real) {
        this.interceptors = interceptors;
        this.real = real;
    }

    /** No application classes. */
    public static ConsumerPlugins none() {
        return new ConsumerPlugins(new ConsumerInterceptorChain<>(List.of()), Map.of());
    }

    /**
     * No application classes, for a consumer that Kafka Streams has made itself.
     *
     * @param settings Kafka Streams' settings for the consumer
     */
    public static ConsumerPlugins none(Map<String, Object> settings) {
        // Not Map.copyOf: Kafka Streams has settings with null values.
        return new ConsumerPlugins(
                new ConsumerInterceptorChain<>(List.of()), Collections.unmodifiableMap(new HashMap<>(settings)));
    }

    /**
     * Makes and configures the classes that a consumer's settings name, as Kafka's consumer does.
     *
     * @param settings Kafka Streams' settings for the consumer
     * @throws org.apache.kafka.common.KafkaException fatal: a class cannot be made
     */
    public static ConsumerPlugins open(Map<String, Object> settings) {
        Map<String, Object> complete = new HashMap<>(settings);
        complete.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        complete.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        AbstractConfig config = new AbstractConfig(ConsumerConfig.configDef(), complete, false);
        try (ClientOpening opening = new ClientOpening(config, "consumer")) {
            List<ConsumerInterceptor<byte[], byte[]>> interceptors = opening.interceptors(ConsumerInterceptor.class);
            opening.succeeded();
            return new ConsumerPlugins(new ConsumerInterceptorChain<>(interceptors), opening.real(settings));
        }
    }

    /** The settings of the real consumer: without interceptors. */
    public Map<String, Object> realSettings() {
        return real;
    }

    public ConsumerInterceptorChain<byte[], byte[]> interceptors() {
        return interceptors;
    }
}
