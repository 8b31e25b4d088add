package dev.blobshuffle.kafka.internal.produce;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * The application's serializers, owned. Thread-safe if they are, as Kafka requires.
 *
 * @param keys for keys
 * @param values for values
 */
public record RecordSerializer<K, V>(Serializer<K> keys, Serializer<V> values) implements AutoCloseable {
    /**
     * The bytes of a record's key.
     *
     * @throws SerializationException fatal: the serializer does not accept the key
     */
    byte @Nullable [] key(ProducerRecord<K, V> record) {
        try {
            return keys.serialize(record.topic(), record.headers(), record.key());
        } catch (ClassCastException e) {
            throw new SerializationException(
                    "Cannot serialize a key for " + record.topic() + ": key.serializer "
                            + keys.getClass().getName()
                            + " does not take its type. Set the serializer of the keys' type.",
                    e);
        }
    }

    /**
     * The bytes of a record's value.
     *
     * @throws SerializationException fatal: the serializer does not accept the value
     */
    byte @Nullable [] value(ProducerRecord<K, V> record) {
        try {
            return values.serialize(record.topic(), record.headers(), record.value());
        } catch (ClassCastException e) {
            throw new SerializationException(
                    "Cannot serialize a value for " + record.topic() + ": value.serializer "
                            + values.getClass().getName()
                            + " does not take its type. Set the serializer of the values' type.",
                    e);
        }
    }

    @Override
    public void close() {
        Utils.closeQuietly(keys, "key serializer");
        Utils.closeQuietly(values, "value serializer");
    }
}
