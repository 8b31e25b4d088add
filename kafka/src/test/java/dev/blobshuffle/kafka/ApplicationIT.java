package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kafka.internal.client.SharedEngines;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plain applications that change only their settings. */
class ApplicationIT {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    @TempDir
    private Path directory;

    private String topic;

    @BeforeEach
    void createTopic() {
        topic = "orders-" + System.nanoTime();
        KAFKA.createTopic(topic, 1);
    }

    private Map<String, Object> settings(Object... more) {
        Map<String, Object> settings = new HashMap<>(Map.of(
                "bootstrap.servers", KAFKA.bootstrapServers(),
                "blobshuffle.store", directory.toUri().toString(),
                "blobshuffle.topics.include", "orders.*"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put((String) more[i], more[i + 1]);
        }
        return settings;
    }

    private void publish(String... values) {
        try (Producer<String, String> producer =
                new BlobProducer<>(settings(), new StringSerializer(), new StringSerializer())) {
            Clients.send(producer, topic, 0, values);
        }
    }

    @Test
    void exampleDeliversEveryOrderOnceToTheNextSubscriber() {
        PublishSubscribeExample example = new PublishSubscribeExample(
                KAFKA.bootstrapServers(), directory.toUri().toString());
        List<String> orders =
                IntStream.range(0, 100).mapToObj(i -> i % 7 + " order " + i).toList();
        List<String> taken = new ArrayList<>();
        example.publish(topic, orders);
        example.subscribe(topic, "desk-" + topic, 33, taken::add);
        example.subscribe(topic, "desk-" + topic, 67, taken::add);

        assertThat(taken).isEqualTo(orders);
        assertThat(SharedEngines.count()).isZero();
    }

    @Test
    void clientsWithTheSameSettingsShareOneEngineUntilTheLastIsClosed() {
        Producer<String, String> one = new BlobProducer<>(settings(), new StringSerializer(), new StringSerializer());
        Producer<String, String> two = new BlobProducer<>(settings(), new StringSerializer(), new StringSerializer());
        assertThat(SharedEngines.count()).isEqualTo(1);
        one.close();
        one.close();
        assertThat(SharedEngines.count()).isEqualTo(1);
        Clients.send(two, topic, 0, "still works");
        two.close();
        assertThat(SharedEngines.count()).isZero();
    }

    @Test
    void unusableSettingsAreRefusedWithTheRemedyAndLeaveNothingOpen() {
        assertThatThrownBy(() -> new BlobProducer<>(
                        settings("blobshuffle.stroe", "x"), new StringSerializer(), new StringSerializer()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.store");
        Map<String, Object> noTopics = settings();
        noTopics.remove("blobshuffle.topics.include");
        assertThatThrownBy(() -> new BlobConsumer<>(noTopics, new StringDeserializer(), new StringDeserializer()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.topics.include");
        assertThatThrownBy(() -> new BlobConsumer<>(
                        settings("share.acknowledgement.mode", "explicit"),
                        new StringDeserializer(),
                        new StringDeserializer()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("share consumers");
        assertThatThrownBy(() -> new BlobConsumer<>(settings("key.deserializer", "no.such.Class"), null, null))
                .isInstanceOf(ConfigException.class);
        assertThat(SharedEngines.count()).isZero();
    }

    @Test
    void interceptorsSeeOriginalRecordsAndTheirOffsets() {
        Spy.sent.clear();
        Spy.acknowledged.clear();
        Spy.consumed.clear();
        Spy.committed.clear();
        Properties properties = new Properties();
        properties.putAll(settings(
                "interceptor.classes", Spy.Sends.class.getName(),
                "key.serializer", StringSerializer.class.getName(),
                "value.serializer", StringSerializer.class.getName()));
        try (Producer<String, String> producer = new BlobProducer<>(properties)) {
            Clients.send(producer, topic, 0, "a", "b");
        }
        try (Consumer<String, String> consumer = new BlobConsumer<>(
                settings(
                        "interceptor.classes",
                        Spy.Reads.class.getName(),
                        "group.id",
                        "spied-" + topic,
                        "auto.offset.reset",
                        "earliest"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(List.of(Clients.partition(topic)));
            Clients.read(consumer, 2);
            consumer.commitSync();
        }

        assertThat(Spy.sent).containsExactly("a", "b");
        assertThat(Spy.consumed).containsExactly("a", "b");
        assertThat(Spy.acknowledged).containsExactly(VirtualOffset.of(0, 0), VirtualOffset.of(0, VirtualOffset.LAST));
        assertThat(Spy.committed).contains(VirtualOffset.of(1));
    }

    @Test
    void recordThatCannotBeDeserializedCanBeSkipped() {
        publish("abcd", "no integer", "efgh");
        try (Consumer<String, Integer> consumer = new BlobConsumer<>(
                settings("auto.offset.reset", "earliest"), new StringDeserializer(), new IntegerDeserializer())) {
            TopicPartition partition = Clients.partition(topic);
            consumer.assign(List.of(partition));
            List<ConsumerRecord<String, Integer>> first = Clients.read(consumer, 1);
            assertThat(first).extracting(ConsumerRecord::key).containsExactly("k-abcd");
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThatThrownBy(() -> Clients.read(consumer, 1))
                        .isInstanceOfSatisfying(RecordDeserializationException.class, failure -> {
                            assertThat(failure.topicPartition()).isEqualTo(partition);
                            consumer.seek(partition, failure.offset());
                        });
            }
            consumer.seek(partition, first.get(0).offset() + 2);
            assertThat(Clients.read(consumer, 1))
                    .extracting(ConsumerRecord::key)
                    .containsExactly("k-efgh");
        }
    }

    @Test
    void recordThatCannotBeDeserializedIsToldHoweverBusyOtherPartitionsAre() {
        String busy = topic + "-busy";
        KAFKA.createTopic(busy, 1);
        publish("no integer");
        try (Producer<String, String> producer =
                new BlobProducer<>(settings(), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < 20_000; i++) {
                producer.send(new ProducerRecord<>(busy, 0, "k", "four"));
            }
        }
        try (Consumer<String, Integer> consumer = new BlobConsumer<>(
                settings("auto.offset.reset", "earliest", "max.poll.records", 2),
                new StringDeserializer(),
                new IntegerDeserializer())) {
            TopicPartition bad = Clients.partition(topic);
            // With one broker, the first fetch gets both.
            consumer.assign(List.of(bad, Clients.partition(busy)));
            assertThatThrownBy(() -> Clients.read(consumer, 20_000))
                    .isInstanceOfSatisfying(
                            RecordDeserializationException.class,
                            failure -> assertThat(failure.topicPartition()).isEqualTo(bad));
            assertThat(consumer.currentLag(Clients.partition(busy)).orElseThrow())
                    .isPositive();
        }
    }

    @Test
    void notificationThatCannotBeReadIsToldHoweverBusyOtherPartitionsAre() {
        String busy = topic + "-busy";
        KAFKA.createTopic(busy, 1);
        publish("a");
        damageNotification();
        try (Producer<String, String> producer =
                new BlobProducer<>(settings(), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < 20_000; i++) {
                producer.send(new ProducerRecord<>(busy, 0, "k", "v"));
            }
        }
        try (Consumer<String, String> consumer = new BlobConsumer<>(
                // The damaged notification is fetched again after the records before it are
                // returned; keep that poll short.
                settings("auto.offset.reset", "earliest", "max.poll.records", 2, "fetch.max.wait.ms", 20),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(List.of(Clients.partition(topic), Clients.partition(busy)));
            assertThatThrownBy(() -> Clients.read(consumer, 20_001))
                    .isInstanceOf(KafkaException.class)
                    .hasCauseInstanceOf(BlobCorruptException.class);
            assertThat(consumer.position(Clients.partition(topic))).isEqualTo(VirtualOffset.of(1));
            consumer.seek(Clients.partition(topic), VirtualOffset.of(2));
            assertThat(Clients.read(consumer, 100)).hasSizeGreaterThanOrEqualTo(100);
        }
    }

    /** Copies the notification to the topic, with one byte changed. */
    private void damageNotification() {
        Map<String, Object> kafkas =
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "auto.offset.reset", "earliest");
        try (Consumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(kafkas, new ByteArrayDeserializer(), new ByteArrayDeserializer());
                Producer<byte[], byte[]> producer =
                        new KafkaProducer<>(kafkas, new ByteArraySerializer(), new ByteArraySerializer())) {
            consumer.assign(List.of(Clients.partition(topic)));
            ConsumerRecord<byte[], byte[]> sound = Clients.read(consumer, 1).get(0);
            byte[] damaged = sound.value().clone();
            damaged[damaged.length - 1] ^= 1;
            producer.send(new ProducerRecord<>(topic, 0, sound.timestamp(), null, damaged, sound.headers()));
            producer.flush();
        }
    }

    @Test
    void clientsShowTheEnginesMetrics() {
        try (Producer<String, String> producer =
                new BlobProducer<>(settings(), new StringSerializer(), new StringSerializer())) {
            Clients.send(producer, topic, 0, "a", "b", "c");
            assertThat(producer.metrics().entrySet()).anySatisfy(entry -> {
                assertThat(entry.getKey().name()).isEqualTo("records-appended");
                assertThat(entry.getKey().group()).isEqualTo("blobshuffle-metrics");
                assertThat(entry.getValue().metricValue()).isEqualTo(3.0);
            });
            assertThat(ManagementFactory.getPlatformMBeanServer()
                            .queryNames(null, null)
                            .toString())
                    .contains("blobshuffle:type=blobshuffle-metrics");
        }
    }

    @Test
    void adminTranslatesOffsets() throws Exception {
        publish("a", "b");
        try (Admin admin = BlobAdmin.create(settings())) {
            TopicPartition partition = Clients.partition(topic);
            long end = admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                    .partitionResult(partition)
                    .get()
                    .offset();
            assertThat(end).isEqualTo(VirtualOffset.of(1));
        }
    }

    @Test
    void adminCommitsRealOffsetsOnly() throws Exception {
        publish("a", "b");
        TopicPartition partition = Clients.partition(topic);
        String group = "g-" + topic;
        try (Admin admin = BlobAdmin.create(settings())) {
            assertThatThrownBy(() -> admin.alterConsumerGroupOffsets(
                            group, Map.of(partition, new OffsetAndMetadata(VirtualOffset.of(1)))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("or pass 1");
            admin.alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(1)))
                    .all()
                    .get();
            assertThat(admin.listConsumerGroupOffsets(group)
                            .partitionsToOffsetAndMetadata()
                            .get())
                    .containsEntry(partition, new OffsetAndMetadata(1));
        }
    }

    @Test
    void adminFindsTheRecordOfATime() throws Exception {
        long hourAgo = System.currentTimeMillis() - Duration.ofHours(1).toMillis();
        TopicPartition partition = Clients.partition(topic);
        List<Long> offsets = new ArrayList<>();
        try (Producer<String, String> producer =
                new BlobProducer<>(settings(), new StringSerializer(), new StringSerializer())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                sent.add(producer.send(new ProducerRecord<>(topic, 0, hourAgo + 100 * i, "k", "v" + i)));
            }
            producer.flush();
            for (Future<RecordMetadata> each : sent) {
                offsets.add(each.get().offset());
            }
        }
        try (Admin admin = BlobAdmin.create(settings())) {
            for (OffsetSpec spec : List.of(OffsetSpec.forTimestamp(hourAgo + 250), OffsetSpec.maxTimestamp())) {
                int expected = spec instanceof OffsetSpec.TimestampSpec ? 3 : 4;
                ListOffsetsResult.ListOffsetsResultInfo found = admin.listOffsets(Map.of(partition, spec))
                        .partitionResult(partition)
                        .get();
                assertThat(found.offset()).isEqualTo(offsets.get(expected));
                assertThat(found.timestamp()).isEqualTo(hourAgo + 100 * expected);
            }
            assertThat(admin.listOffsets(Map.of(partition, OffsetSpec.forTimestamp(hourAgo + 401)))
                            .partitionResult(partition)
                            .get()
                            .offset())
                    .isEqualTo(-1);
        }
    }

    /** Records the calls of the interceptors. */
    static final class Spy {
        static final List<String> sent = new CopyOnWriteArrayList<>();
        static final List<Long> acknowledged = new CopyOnWriteArrayList<>();
        static final List<String> consumed = new CopyOnWriteArrayList<>();
        static final List<Long> committed = new CopyOnWriteArrayList<>();

        private Spy() {}

        /** Intercepts sends. */
        public static final class Sends implements ProducerInterceptor<String, String> {
            @Override
            public ProducerRecord<String, String> onSend(ProducerRecord<String, String> record) {
                sent.add(record.value());
                return record;
            }

            @Override
            public void onAcknowledgement(RecordMetadata metadata, Exception failure) {
                acknowledged.add(metadata.offset());
            }

            @Override
            public void close() {}

            @Override
            public void configure(Map<String, ?> settings) {}
        }

        /** Intercepts reads. */
        public static final class Reads implements ConsumerInterceptor<String, String> {
            @Override
            public ConsumerRecords<String, String> onConsume(ConsumerRecords<String, String> records) {
                records.forEach(record -> consumed.add(record.value()));
                return records;
            }

            @Override
            public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
                offsets.values().forEach(offset -> committed.add(offset.offset()));
            }

            @Override
            public void close() {}

            @Override
            public void configure(Map<String, ?> settings) {}
        }
    }
}
