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
 * The application's classes that a consumer of Kafka Streams calls: its interceptors. The wrapper
 * calls them, because the real consumer sees notifications. Owned by the wrapper.
 */
public final class ConsumerPlugins {
    private final ConsumerInterceptorChain<byte[], byte[]> interceptors;
    private final Map<String, Object> real;

    private ConsumerPlugins(ConsumerInterceptorChain<byte[], byte[]> interceptors, Map<String, Object> real) {
        this.interceptors = interceptors;
        this.real = real;
    }

    /** No classes of the application. */
    public static ConsumerPlugins none() {
        return new ConsumerPlugins(new ConsumerInterceptorChain<>(List.of()), Map.of());
    }

    /**
     * No classes of the application, for a consumer that Kafka Streams has made itself.
     *
     * @param settings those that Kafka Streams has for the consumer
     */
    public static ConsumerPlugins none(Map<String, Object> settings) {
        // Not Map.copyOf: Kafka Streams has settings without a value.
        return new ConsumerPlugins(
                new ConsumerInterceptorChain<>(List.of()), Collections.unmodifiableMap(new HashMap<>(settings)));
    }

    /**
     * Makes the classes that a consumer's settings name, and configures them as Kafka's consumer
     * does.
     *
     * @param settings those that Kafka Streams has for the consumer
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

    /** Settings of the real consumer: without the interceptors. */
    public Map<String, Object> realSettings() {
        return real;
    }

    public ConsumerInterceptorChain<byte[], byte[]> interceptors() {
        return interceptors;
    }
}
