package dev.blobshuffle.bench.messaging;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own clients. They commit positions automatically, every 5 seconds. */
final class KafkaClient implements Client {
    /**
     * A producer allocates a whole batch for each partition that it sends to. The batches of 576
     * partitions must fit into its buffer; otherwise it blocks.
     */
    private static final Map<String, Object> TUNED_PRODUCER =
            Map.of("linger.ms", 100, "batch.size", 128 << 10, "buffer.memory", 128L << 20, "compression.type", "lz4");

    private static final Map<String, Object> TUNED_CONSUMER = Map.of(
            "fetch.min.bytes",
            1 << 20,
            "fetch.max.wait.ms",
            500,
            "max.partition.fetch.bytes",
            8 << 20,
            "max.poll.records",
            5000);

    private final MessagingSystem system;
    private final String servers;

    KafkaClient(MessagingSystem system, String servers) {
        this.system = system;
        this.servers = servers;
    }

    @Override
    public Producing producer(String name) {
        Map<String, Object> settings = new HashMap<>(system == MessagingSystem.KAFKA ? Map.of() : TUNED_PRODUCER);
        settings.put("bootstrap.servers", servers);
        settings.put("client.id", name);
        if (system.isTransactional()) {
            settings.put("transactional.id", name);
        }
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        if (system.isTransactional()) {
            producer.initTransactions();
        }
        return new KafkaProducing(producer);
    }

    @Override
    public Consuming consumer(String group, String topic) {
        Map<String, Object> settings = new HashMap<>(system == MessagingSystem.KAFKA ? Map.of() : TUNED_CONSUMER);
        settings.put("bootstrap.servers", servers);
        settings.put("group.id", group);
        settings.put("auto.offset.reset", "earliest");
        if (system.isTransactional()) {
            settings.put("isolation.level", "read_committed");
        }
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(List.of(topic));
        return new KafkaConsuming(consumer);
    }

    @Override
    public void close() {
        // Each producer and consumer has its own connections.
    }

    /** A producer, owned by one thread. */
    private static final class KafkaProducing implements Producing {
        private final KafkaProducer<byte[], byte[]> producer;

        KafkaProducing(KafkaProducer<byte[], byte[]> producer) {
            this.producer = producer;
        }

        @Override
        public void send(String topic, byte[] key, byte[] value, Consumer<Boolean> done) {
            var ignored = producer.send(
                    new ProducerRecord<>(topic, key, value), (position, failure) -> done.accept(failure == null));
        }

        @Override
        public void begin() {
            producer.beginTransaction();
        }

        @Override
        public void commit() {
            producer.commitTransaction();
        }

        @Override
        public void flush() {
            producer.flush();
        }

        @Override
        public void close() {
            producer.close();
        }
    }

    /** A consumer, owned by one thread. */
    private static final class KafkaConsuming implements Consuming {
        private final KafkaConsumer<byte[], byte[]> consumer;

        KafkaConsuming(KafkaConsumer<byte[], byte[]> consumer) {
            this.consumer = consumer;
        }

        @Override
        public void poll(Duration wait, Consumer<ByteBuffer> receiver) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(wait)) {
                receiver.accept(ByteBuffer.wrap(record.value()));
            }
        }

        @Override
        public int owned() {
            return consumer.assignment().size();
        }

        @Override
        public void commit() {
            // enable.auto.commit is on.
        }

        @Override
        public void close() {
            consumer.close();
        }
    }
}
