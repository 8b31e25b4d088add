package dev.blobshuffle.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Publish and subscribe over Kafka with the records in blobs. It is the code of any Kafka
 * application, with two constructors and a few settings changed. The guide shows it, and a test
 * runs it.
 */
final class PublishSubscribeExample {
    private final String bootstrapServers;
    private final String store;

    PublishSubscribeExample(String bootstrapServers, String store) {
        this.bootstrapServers = bootstrapServers;
        this.store = store;
    }

    /**
     * What every client has: Kafka's address, the store, and the topics that shuffle through blobs.
     */
    private Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrapServers);
        settings.put("blobshuffle.store", store);
        settings.put("blobshuffle.topics.include", "orders.*");
        return settings;
    }

    /** Publishes orders, all of them or none. */
    void publish(String topic, List<String> orders) {
        Map<String, Object> settings = settings();
        settings.put("transactional.id", "order-desk-1");
        settings.put("key.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        settings.put("value.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        try (Producer<String, String> producer = new BlobProducer<>(settings)) {
            producer.initTransactions();
            producer.beginTransaction();
            for (String order : orders) {
                producer.send(new ProducerRecord<>(topic, order.substring(0, 1), order));
            }
            producer.commitTransaction(); // the records are durable in the store, the notifications in Kafka
        }
    }

    /** Takes orders as a member of a group, and commits after each, wherever in a blob that is. */
    void subscribe(String topic, String group, int count, java.util.function.Consumer<String> desk) {
        Map<String, Object> settings = settings();
        settings.put("group.id", group);
        settings.put("group.protocol", "consumer");
        settings.put("auto.offset.reset", "earliest");
        settings.put("isolation.level", "read_committed");
        settings.put("enable.auto.commit", false);
        settings.put("key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        settings.put("value.deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        try (Consumer<String, String> consumer = new BlobConsumer<>(settings)) {
            consumer.subscribe(List.of(topic));
            int taken = 0;
            while (taken < count) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(500))) {
                    if (taken == count) {
                        return; // the others are the next subscriber's: they are not committed
                    }
                    desk.accept(record.value());
                    consumer.commitSync(Map.of(
                            new TopicPartition(record.topic(), record.partition()),
                            new OffsetAndMetadata(record.offset() + 1)));
                    taken++;
                }
            }
        }
    }
}
