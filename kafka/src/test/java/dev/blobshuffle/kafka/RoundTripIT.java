package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import dev.blobshuffle.kafka.internal.client.SharedParts;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.consume.ConsumerOpening;
import dev.blobshuffle.kafka.internal.consume.ShuffleConsumer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RoundTripIT {
    private Clients clients;

    @BeforeEach
    void open() {
        clients = new Clients(new MemoryBlobStore("round-trip", 1L << 30), Duration.ofSeconds(30));
    }

    @AfterEach
    void close() {
        clients.close();
    }

    @Tag("every-kafka")
    @Test
    void recordsOfEveryShapeComeBackAsTheyWere() {
        String topic = clients.blobTopic(1);
        List<ProducerRecord<byte[], byte[]>> sent = new ArrayList<>();
        byte[] huge = new byte[10 << 20];
        new Random(7).nextBytes(huge);
        sent.add(new ProducerRecord<>(topic, 0, 1L, new byte[0], new byte[0]));
        sent.add(new ProducerRecord<>(topic, 0, 2L, (byte[]) null, bytes("no key")));
        sent.add(new ProducerRecord<>(topic, 0, 3L, bytes("tombstone"), (byte[]) null));
        sent.add(new ProducerRecord<>(topic, 0, 0L, (byte[]) null, (byte[]) null));
        sent.add(new ProducerRecord<>(topic, 0, 5L, bytes("huge"), huge));
        RecordHeaders headers = new RecordHeaders();
        headers.add("a", bytes("1")).add("a", new byte[0]).add("ü", null);
        sent.add(new ProducerRecord<>(topic, 0, 4L, bytes("k"), bytes("v"), headers));

        Producer<byte[], byte[]> producer = clients.byteProducer();
        sent.forEach(producer::send);
        producer.flush();
        Consumer<byte[], byte[]> consumer = clients.byteConsumer("g");
        consumer.assign(List.of(Clients.partition(topic)));
        List<ConsumerRecord<byte[], byte[]>> received = Clients.read(consumer, sent.size());

        for (int i = 0; i < sent.size(); i++) {
            assertThat(received.get(i).key()).isEqualTo(sent.get(i).key());
            assertThat(received.get(i).value()).isEqualTo(sent.get(i).value());
            assertThat(received.get(i).timestamp()).isEqualTo(sent.get(i).timestamp());
            assertThat(received.get(i).headers()).isEqualTo(sent.get(i).headers());
        }
        assertThat(received.get(0).serializedKeySize()).isZero();
        assertThat(received.get(1).serializedKeySize()).isEqualTo(ConsumerRecord.NULL_SIZE);
    }

    /** As natively: an interceptor's or a caller's change would come too late. */
    @Test
    void headersOfASentRecordCannotBeChanged() {
        String topic = clients.blobTopic(1);
        String nativeTopic = clients.topic("native-" + topic, 1);
        Producer<String, String> producer = clients.producer();
        for (Map.Entry<String, Producer<String, String>> each : List.of(
                Map.entry(nativeTopic, clients.nativeProducer()),
                Map.entry(nativeTopic, producer),
                Map.entry(topic, producer))) {
            ProducerRecord<String, String> record = new ProducerRecord<>(each.getKey(), "k", "v");
            record.headers().add("before", bytes("1"));
            each.getValue().send(record);
            assertThatThrownBy(() -> record.headers().add("after", bytes("2")))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void brokerHoldsOneNotificationForAllRecords() {
        String topic = clients.blobTopic(1);
        Clients.send(clients.producer(), topic, 0, Clients.values("v", 1000));

        Consumer<byte[], byte[]> raw = clients.nativeConsumer("raw");
        raw.assign(List.of(Clients.partition(topic)));
        List<ConsumerRecord<byte[], byte[]>> stored = Clients.read(raw, 1);

        assertThat(raw.endOffsets(List.of(Clients.partition(topic)))).containsValue(1L);
        assertThat(stored.get(0).key()).isNull();
        assertThat(stored.get(0).headers().lastHeader("__bs")).isNotNull();
        assertThat(stored.get(0).serializedValueSize()).isLessThanOrEqualTo(64);
    }

    @Test
    void keysGoWhereKafkasProducerSendsThemAndKeepTheirOrder() throws Exception {
        String topic = clients.blobTopic(4);
        String nativeTopic = clients.topic("native-" + topic, 4);
        Producer<String, String> producer = clients.producer();
        Producer<String, String> reference = clients.nativeProducer();
        List<Future<RecordMetadata>> expected = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            producer.send(new ProducerRecord<>(topic, "key" + i % 50, "v" + i));
            expected.add(reference.send(new ProducerRecord<>(nativeTopic, "key" + i % 50, "v" + i)));
        }
        producer.flush();
        reference.flush();
        Consumer<String, String> consumer = clients.consumer("g");
        consumer.subscribe(List.of(topic));
        List<ConsumerRecord<String, String>> records = Clients.read(consumer, 2000);

        for (ConsumerRecord<String, String> record : records) {
            int number = Integer.parseInt(record.value().substring(1));
            assertThat(record.partition()).isEqualTo(expected.get(number).get().partition());
        }
        for (int partition = 0; partition < 4; partition++) {
            int of = partition;
            assertThat(records.stream()
                            .filter(record -> record.partition() == of)
                            .map(record -> Integer.parseInt(record.value().substring(1))))
                    .isSorted();
        }
    }

    @Test
    void acknowledgementsCarryTheOffsetsThatConsumersSee() throws Exception {
        String topic = clients.blobTopic(1);
        Producer<String, String> producer = clients.producer();
        List<Future<RecordMetadata>> sends = new ArrayList<>();
        List<Long> calledBack = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            sends.add(producer.send(
                    new ProducerRecord<>(topic, 0, 1000L + i, "k", "v" + i),
                    (metadata, failure) -> calledBack.add(metadata.offset())));
        }
        producer.flush();
        assertThat(sends).allMatch(Future::isDone);
        Consumer<String, String> consumer = clients.consumer("g");
        consumer.assign(List.of(Clients.partition(topic)));
        List<ConsumerRecord<String, String>> records = Clients.read(consumer, 10);

        assertThat(calledBack)
                .isEqualTo(records.stream().map(ConsumerRecord::offset).toList());
        for (int i = 0; i < 10; i++) {
            RecordMetadata metadata = sends.get(i).get();
            assertThat(metadata.offset()).isEqualTo(records.get(i).offset());
            assertThat(metadata.timestamp()).isEqualTo(1000L + i);
            assertThat(metadata.serializedValueSize()).isEqualTo(2);
        }
    }

    @Test
    void callbackMaySendOnTheSameProducer() throws Exception {
        String topic = clients.blobTopic(1);
        Producer<String, String> producer = clients.producer();
        List<Future<RecordMetadata>> inner = new ArrayList<>();
        producer.send(
                new ProducerRecord<>(topic, 0, "k", "outer"),
                (metadata, failure) -> inner.add(producer.send(new ProducerRecord<>(topic, 0, "k", "inner"))));
        producer.flush();
        producer.flush();

        assertThat(inner).hasSize(1);
        assertThat(inner.get(0).get(2, TimeUnit.MINUTES).hasOffset()).isTrue();
    }

    @Test
    void plainAndBlobRecordsOfOnePartitionKeepTheirOrder() {
        String topic = clients.blobTopic(1);
        Producer<String, String> blobs = clients.producer();
        Producer<String, String> plain = clients.nativeProducer();
        Producer<String, String> readOnly = clients.readOnlyProducer();
        Clients.send(blobs, topic, 0, "a", "b");
        Clients.send(plain, topic, 0, "c", "d");
        Clients.send(blobs, topic, 0, "e");
        Clients.send(readOnly, topic, 0, "f");
        Clients.send(blobs, topic, 0, "g", "h");
        Consumer<String, String> consumer = clients.consumer("g");
        consumer.assign(List.of(Clients.partition(topic)));

        List<ConsumerRecord<String, String>> records = Clients.read(consumer, 8);
        assertThat(Clients.valuesOf(records)).containsExactly("a", "b", "c", "d", "e", "f", "g", "h");
        assertThat(records.stream().map(ConsumerRecord::offset)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void otherTopicsPassUntouched() throws Exception {
        String topic = clients.topic("plain-" + System.nanoTime(), 1);
        RecordMetadata sent = clients.producer()
                .send(new ProducerRecord<>(topic, 0, "k", "v"))
                .get();
        Consumer<String, String> consumer = clients.consumer("g");
        consumer.assign(List.of(Clients.partition(topic)));

        ConsumerRecord<String, String> record = Clients.read(consumer, 1).get(0);
        assertThat(record.offset()).isEqualTo(sent.offset()).isZero();
        assertThat(consumer.position(Clients.partition(topic))).isEqualTo(1);
    }

    @Test
    void readerOfAnExcludedTopicRefusesNotifications() {
        String topic = clients.blobTopic(1);
        Clients.send(clients.producer(), topic, 0, "a");
        SharedParts none = new SharedParts(
                clients.engine(),
                TopicMatcher.of(List.of("other"), List.of()),
                ProducerWiring.Writes.BLOBS,
                Duration.ofSeconds(1),
                Membership.none(),
                Membership.none(),
                new SystemTime(),
                Map::of,
                () -> {});
        try (Consumer<String, String> consumer = new ShuffleConsumer<>(ConsumerOpening.parts(
                clients.settings("auto.offset.reset", "earliest"),
                none,
                new StringDeserializer(),
                new StringDeserializer()))) {
            consumer.assign(List.of(Clients.partition(topic)));
            assertThatThrownBy(() -> Clients.read(consumer, 1)).hasCauseInstanceOf(InvalidSettingsException.class);
        }
    }

    @Test
    void compactedTopicIsRefused() {
        String topic = "blob-compacted-" + System.nanoTime();
        Clients.await(() -> clients.admin()
                .createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(Map.of("cleanup.policy", "compact"))))
                .all()
                .get());

        assertThatThrownBy(() -> clients.producer().send(new ProducerRecord<>(topic, "k", "v")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(topic);
    }

    /** Each notification would fail, and with it the records of its batch. */
    @Test
    void limitsBelowTheSizeOfANotificationAreRefused() {
        String topic = "blob-small-" + System.nanoTime();
        Clients.await(() -> clients.admin()
                .createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(Map.of("max.message.bytes", "150"))))
                .all()
                .get());

        assertThatThrownBy(() -> clients.producer().send(new ProducerRecord<>(topic, "k", "v")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(topic)
                .hasMessageContaining("max.message.bytes is 150");
        assertThatThrownBy(() -> clients.producer("max.request.size", 100))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("max.request.size is 100");
        assertThatCode(() -> clients.readOnlyProducer("max.request.size", 100)).doesNotThrowAnyException();
    }

    /** As with Kafka's producer, a send waits for {@code max.block.ms}, and its future fails. */
    @Test
    void aSendWaitsNoLongerThanItMayForBrokersThatDoNotAnswer() {
        Producer<String, String> producer = clients.producer("bootstrap.servers", "127.0.0.1:1", "max.block.ms", 1_000);
        long start = System.nanoTime();
        Future<RecordMetadata> sent = producer.send(new ProducerRecord<>("blob-unreachable", "k", "v"));

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
        assertThatThrownBy(sent::get).hasCauseInstanceOf(TimeoutException.class);
    }

    @Test
    void applicationsPartitionerChooses() throws Exception {
        String topic = clients.blobTopic(3);
        Producer<String, String> producer = clients.producer("partitioner.class", RoundRobinPartitioner.class);
        List<Future<RecordMetadata>> sends = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            sends.add(producer.send(new ProducerRecord<>(topic, "same key", "v" + i)));
        }
        producer.flush();
        for (int partition = 0; partition < 3; partition++) {
            int of = partition;
            assertThat(sends.stream().filter(send -> partitionOf(send) == of)).hasSize(3);
        }
    }

    @Test
    void addedPartitionsAreUsedAndRead() {
        String topic = clients.blobTopic(1);
        Producer<String, String> producer = clients.producer();
        Consumer<String, String> consumer = clients.consumer("g", "metadata.max.age.ms", 200);
        consumer.subscribe(List.of(topic));
        Clients.send(producer, topic, 0, "first");
        Clients.read(consumer, 1);
        consumer.commitSync();
        Clients.await(() -> clients.admin()
                .createPartitions(Map.of(topic, NewPartitions.increaseTo(2)))
                .all()
                .get());
        sendToAddedPartition(producer, topic);

        assertThat(Clients.valuesOf(Clients.read(consumer, 1))).containsExactly("second");
    }

    /**
     * As with Kafka's producer, sends to a removed partition fail, and later sends go to the
     * topic's partitions.
     */
    @Test
    void topicMadeAgainWithFewerPartitionsGetsTheSendsAgainAndLosesNoneSilently() throws Exception {
        String topic = clients.blobTopic(3);
        Producer<String, String> producer = clients.producer(
                "metadata.max.age.ms",
                300,
                "max.block.ms",
                2_000,
                "delivery.timeout.ms",
                3_000,
                "request.timeout.ms",
                2_000);
        Clients.send(producer, topic, 2, "before");
        Admin admin = clients.nativeAdmin();
        admin.deleteTopics(List.of(topic)).all().get();
        Clients.topicAgain(admin, topic, 1);

        AtomicInteger rounds = new AtomicInteger();
        List<String> acknowledged = Clients.waitFor("a round without a failure")
                .until(
                        () -> sendAndKeepAcknowledged(producer, topic, rounds.incrementAndGet()),
                        list -> list.size() == 60);
        Consumer<String, String> consumer = clients.consumer("again-" + topic);
        consumer.assign(List.of(Clients.partition(topic)));
        List<String> values = new ArrayList<>();
        Clients.waitFor("the acknowledged records").until(() -> {
            values.addAll(Clients.valuesOf(Clients.read(consumer, 1)));
            return values.containsAll(acknowledged);
        });
        assertThat(values).endsWith(acknowledged.toArray(String[]::new));
    }

    /** The mark that docs/format.md promises to readers without these classes. */
    @Test
    void nativeReaderCanTellANotificationFromARecord() {
        String topic = clients.blobTopic(1);
        Clients.send(clients.producer(), topic, 0, "in a blob");
        Clients.send(clients.nativeProducer(), topic, 0, "plain");
        Consumer<byte[], byte[]> reader = clients.nativeConsumer("native-" + topic);
        reader.assign(List.of(Clients.partition(topic)));
        List<ConsumerRecord<byte[], byte[]>> read = Clients.read(reader, 2);

        assertThat(read.get(0).key()).isNull();
        assertThat(read.get(0).headers().lastHeader("__bs").value()).containsExactly(1);
        assertThat(read.get(0).value()[0]).isEqualTo((byte) 0xb5);
        assertThat(read.get(1).headers().lastHeader("__bs")).isNull();
    }

    /** As Kafka's producer, which checks its metadata with each send. */
    @Test
    void sendsSucceedOnceTheProducerKnowsThatTheTopicHasFewerPartitions() throws Exception {
        String topic = clients.blobTopic(3);
        Producer<String, String> producer = clients.producer("metadata.max.age.ms", 300);
        for (int partition = 0; partition < 3; partition++) {
            Clients.send(producer, topic, partition, "before");
        }
        producer.send(new ProducerRecord<>(topic, "k", "by key"));
        producer.flush();
        Admin admin = clients.nativeAdmin();
        admin.deleteTopics(List.of(topic)).all().get();
        Clients.topicAgain(admin, topic, 2);
        Clients.waitFor("the producer's metadata")
                .until(() -> producer.partitionsFor(topic).size() == 2);

        for (int i = 0; i < 20; i++) {
            Future<RecordMetadata> sent = producer.send(new ProducerRecord<>(topic, "k" + i, "after"));
            producer.flush();
            assertThat(sent.get().partition()).isLessThan(2);
        }
        assertThatThrownBy(() -> producer.send(new ProducerRecord<>(topic, 2, "k", "gone"))
                        .get())
                .hasCauseInstanceOf(ApiException.class);
    }

    /** Sends 60 records to partition 0, and returns the values that arrived. */
    private static List<String> sendAndKeepAcknowledged(Producer<String, String> producer, String topic, int round)
            throws InterruptedException {
        Map<String, Future<RecordMetadata>> sends = new LinkedHashMap<>();
        for (int i = 0; i < 60; i++) {
            String value = round + "-" + i;
            sends.put(value, producer.send(new ProducerRecord<>(topic, "k" + i, value)));
        }
        producer.flush();
        List<String> acknowledged = new ArrayList<>();
        for (Map.Entry<String, Future<RecordMetadata>> send : sends.entrySet()) {
            try {
                assertThat(send.getValue().get().partition()).isZero();
                acknowledged.add(send.getKey());
            } catch (ExecutionException e) {
                assertThat(e).hasCauseInstanceOf(KafkaException.class);
            }
        }
        return acknowledged;
    }

    /** As with Kafka's producer, whose metadata may be older than the partition. */
    private static void sendToAddedPartition(Producer<String, String> producer, String topic) {
        Future<RecordMetadata> send = producer.send(new ProducerRecord<>(topic, 1, "k", "second"));
        producer.flush();
        assertThat(partitionOf(send)).isEqualTo(1);
    }

    private static int partitionOf(Future<RecordMetadata> send) {
        try {
            return send.get().partition();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
