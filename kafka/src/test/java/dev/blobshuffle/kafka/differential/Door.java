package dev.blobshuffle.kafka.differential;

import dev.blobshuffle.kafka.BlobAdmin;
import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafka.BlobProducer;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;

/** Opens the clients of one side: Kafka's own, or those that write and read blobs. */
enum Door {
    NATIVE {
        @Override
        Producer<byte[], byte[]> producer(Map<String, Object> settings) {
            return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        Producer<byte[], byte[]> producerOf(Map<String, Object> settings) {
            return new KafkaProducer<>(settings);
        }

        @Override
        <V> Consumer<byte[], V> consumer(Map<String, Object> settings, Deserializer<V> values) {
            return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), values);
        }

        @Override
        Consumer<byte[], byte[]> consumer(Map<String, Object> settings) {
            return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        @Override
        Admin admin(Map<String, Object> settings) {
            return Admin.create(settings);
        }

        @Override
        Map<String, String> settings(Setup.Batching batching) {
            return Map.of();
        }
    },
    BLOBS {
        @Override
        Producer<byte[], byte[]> producer(Map<String, Object> settings) {
            return new BlobProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        Producer<byte[], byte[]> producerOf(Map<String, Object> settings) {
            return new BlobProducer<>(settings);
        }

        @Override
        <V> Consumer<byte[], V> consumer(Map<String, Object> settings, Deserializer<V> values) {
            return new BlobConsumer<>(settings, new ByteArrayDeserializer(), values);
        }

        @Override
        Consumer<byte[], byte[]> consumer(Map<String, Object> settings) {
            return new BlobConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        @Override
        Admin admin(Map<String, Object> settings) {
            return BlobAdmin.create(settings);
        }

        @Override
        Map<String, String> settings(Setup.Batching batching) {
            Map<String, String> settings = new HashMap<>(batching.settings);
            settings.put("blobshuffle.store", "memory://differential-" + batching);
            settings.put("blobshuffle.topics.include", "blobs-" + batching + "-.*");
            settings.put("blobshuffle.record.max.bytes", String.valueOf(RECORD_LIMIT));
            return settings;
        }
    };

    /** The most bytes of a record, on both sides. */
    static final int RECORD_LIMIT = 4096;

    abstract Producer<byte[], byte[]> producer(Map<String, Object> settings);

    /** Its settings name the serializers. */
    abstract Producer<byte[], byte[]> producerOf(Map<String, Object> settings);

    abstract Consumer<byte[], byte[]> consumer(Map<String, Object> settings);

    abstract <V> Consumer<byte[], V> consumer(Map<String, Object> settings, Deserializer<V> values);

    abstract Admin admin(Map<String, Object> settings);

    /** The settings that make clients those of this side. */
    abstract Map<String, String> settings(Setup.Batching batching);

    /** The name of a topic for records that no reader reads. */
    String besides(Setup.Batching batching) {
        return topic(batching, 0);
    }

    /** The name of a topic of this side. */
    String topic(Setup.Batching batching, long number) {
        return name().toLowerCase(java.util.Locale.ROOT) + "-" + batching + "-" + number;
    }
}
