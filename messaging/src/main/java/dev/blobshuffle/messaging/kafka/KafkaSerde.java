package dev.blobshuffle.messaging.kafka;

import dev.blobshuffle.messaging.Serde;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * Adapts a serde of Kafka to messaging. It passes no headers to Kafka's serde. Close that serde
 * yourself.
 *
 * @param <T> the type of the keys or values
 */
public final class KafkaSerde<T> implements Serde<T> {
    private final Serializer<T> serializer;
    private final Deserializer<T> deserializer;

    private KafkaSerde(Serializer<T> serializer, Deserializer<T> deserializer) {
        this.serializer = serializer;
        this.deserializer = deserializer;
    }

    /** Adapts a configured serde of Kafka. */
    public static <T> KafkaSerde<T> of(org.apache.kafka.common.serialization.Serde<T> serde) {
        return new KafkaSerde<>(serde.serializer(), serde.deserializer());
    }

    @Override
    public byte[] serialize(String topic, T value) {
        return serializer.serialize(topic, value);
    }

    @Override
    public T deserialize(String topic, byte[] bytes) {
        return deserializer.deserialize(topic, bytes);
    }
}
