package dev.blobshuffle.kafka.internal.consume;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.RecordDeserializationException.DeserializationExceptionOrigin;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Deserializes records for the application, with the failures of Kafka's own consumer. Owned by the
 * consumer's thread.
 */
public interface RecordDeserializer<K, V> extends AutoCloseable {
    /**
     * One record.
     *
     * @param offset the record's offset for the application
     * @param carrier the notification, or the record itself; source of timestamp type and leader
     *     epoch
     * @throws RecordDeserializationException recoverable: seek past the record
     */
    ConsumerRecord<K, V> record(
            TopicPartition partition,
            long offset,
            long timestamp,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers,
            ConsumerRecord<byte[], byte[]> carrier);

    /** Records as the real consumer returned them; allowed only if nothing is deserialized. */
    List<ConsumerRecord<K, V>> untouched(List<ConsumerRecord<byte[], byte[]>> records);

    @Override
    void close();

    /** For Kafka Streams, which deserializes by itself: bytes stay bytes. */
    final class Bytes implements RecordDeserializer<byte[], byte[]> {
        @Override
        @SuppressWarnings("NullAway") // keys and values of Kafka records may be null
        public ConsumerRecord<byte[], byte[]> record(
                TopicPartition partition,
                long offset,
                long timestamp,
                byte @Nullable [] key,
                byte @Nullable [] value,
                Headers headers,
                ConsumerRecord<byte[], byte[]> carrier) {
            return new ConsumerRecord<>(
                    partition.topic(),
                    partition.partition(),
                    offset,
                    timestamp,
                    carrier.timestampType(),
                    size(key),
                    size(value),
                    key,
                    value,
                    headers,
                    carrier.leaderEpoch());
        }

        @Override
        public List<ConsumerRecord<byte[], byte[]>> untouched(List<ConsumerRecord<byte[], byte[]>> records) {
            return records;
        }

        @Override
        public void close() {}
    }

    /** Uses the application's deserializers, and owns them. */
    final class Typed<K, V> implements RecordDeserializer<K, V> {
        private final Deserializer<K> keys;
        private final Deserializer<V> values;
        private final boolean keysTakeBuffers;
        private final boolean valuesTakeBuffers;

        Typed(Deserializer<K> keys, Deserializer<V> values) {
            this.keys = keys;
            this.values = values;
            keysTakeBuffers = takesBuffers(keys);
            valuesTakeBuffers = takesBuffers(values);
        }

        /**
         * Whether a deserializer gets buffers, as Kafka's consumer passes them. Kafka's own
         * deserializers read arrays alike. One without a method for buffers would copy each buffer
         * into an array.
         */
        private static boolean takesBuffers(Deserializer<?> deserializer) {
            Class<?> type = deserializer.getClass();
            try {
                Class<?> by = type.getMethod("deserialize", String.class, Headers.class, ByteBuffer.class)
                        .getDeclaringClass();
                return !by.equals(Deserializer.class)
                        && !type.getPackageName().equals(Deserializer.class.getPackageName());
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException("Kafka's deserializers have the method.", e);
            }
        }

        private static <T> @Nullable T read(
                Deserializer<T> deserializer,
                boolean takesBuffers,
                String topic,
                Headers headers,
                byte @Nullable [] bytes) {
            if (bytes == null) {
                return null;
            }
            return takesBuffers
                    ? deserializer.deserialize(topic, headers, ByteBuffer.wrap(bytes))
                    : deserializer.deserialize(topic, headers, bytes);
        }

        @Override
        @SuppressWarnings("NullAway") // keys and values of Kafka records may be null
        public ConsumerRecord<K, V> record(
                TopicPartition partition,
                long offset,
                long timestamp,
                byte @Nullable [] key,
                byte @Nullable [] value,
                Headers headers,
                ConsumerRecord<byte[], byte[]> carrier) {
            DeserializationExceptionOrigin origin = DeserializationExceptionOrigin.KEY;
            try {
                K typedKey = read(keys, keysTakeBuffers, partition.topic(), headers, key);
                origin = DeserializationExceptionOrigin.VALUE;
                V typedValue = read(values, valuesTakeBuffers, partition.topic(), headers, value);
                return new ConsumerRecord<>(
                        partition.topic(),
                        partition.partition(),
                        offset,
                        timestamp,
                        carrier.timestampType(),
                        size(key),
                        size(value),
                        typedKey,
                        typedValue,
                        headers,
                        carrier.leaderEpoch());
            } catch (RuntimeException e) {
                throw new RecordDeserializationException(
                        origin,
                        partition,
                        offset,
                        timestamp,
                        carrier.timestampType(),
                        key == null ? null : ByteBuffer.wrap(key),
                        value == null ? null : ByteBuffer.wrap(value),
                        headers,
                        "Cannot deserialize the " + origin + " of the record at " + partition + ", offset " + offset
                                + ": " + e.getClass().getSimpleName() + ". Seek past it to go on.",
                        e);
            }
        }

        @Override
        public List<ConsumerRecord<K, V>> untouched(List<ConsumerRecord<byte[], byte[]>> records) {
            throw new IllegalStateException(
                    "Cannot pass bytes to typed readers: every record of this consumer is deserialized.");
        }

        @Override
        public void close() {
            Utils.closeQuietly(keys, "key deserializer");
            Utils.closeQuietly(values, "value deserializer");
        }
    }

    private static int size(byte @Nullable [] bytes) {
        return bytes == null ? ConsumerRecord.NULL_SIZE : bytes.length;
    }
}
