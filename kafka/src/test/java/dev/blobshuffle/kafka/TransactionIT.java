package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.kafka.internal.position.GivenUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TransactionIT {
    private Clients clients;

    @BeforeEach
    void open() {
        clients = new Clients(new MemoryBlobStore("transactions", 1L << 30), Duration.ofSeconds(30));
    }

    @AfterEach
    void close() {
        clients.close();
    }

    private Producer<String, String> transactional(String id) {
        Producer<String, String> producer = clients.producer("transactional.id", id);
        producer.initTransactions();
        return producer;
    }

    private Consumer<String, String> committedReader(String topic) {
        Consumer<String, String> consumer =
                clients.consumer("reader-" + System.nanoTime(), "isolation.level", "read_committed");
        consumer.assign(List.of(Clients.partition(topic)));
        return consumer;
    }

    @Test
    void sendThatFailsBeforeItsBatchRefusesTheCommitUntilTheAbort() {
        String topic = clients.blobTopic(1);
        Producer<String, String> producer = transactional("no-such-partition");
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(topic, 0, "k", "with it"));
        producer.send(new ProducerRecord<>(topic, 99, "k", "nowhere"));
        assertThatThrownBy(producer::commitTransaction).isInstanceOf(KafkaException.class);
        producer.abortTransaction();
        producer.beginTransaction();
        Clients.send(producer, topic, 0, "after");
        producer.commitTransaction();

        assertThat(Clients.valuesOf(Clients.read(committedReader(topic), 1))).containsExactly("after");
    }

    @Tag("every-kafka")
    @Test
    void onlyCommittedRecordsAreRead() throws Exception {
        String topic = clients.blobTopic(1);
        Producer<String, String> producer = transactional("t1-" + topic);
        producer.beginTransaction();
        Clients.send(producer, topic, 0, "aborted and stored");
        Future<RecordMetadata> never = producer.send(new ProducerRecord<>(topic, 0, "k", "aborted in memory"));
        producer.abortTransaction();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(topic, 0, "k", "a"));
        producer.send(new ProducerRecord<>(topic, 0, "k", "b"));
        producer.commitTransaction();
        producer.beginTransaction();
        Clients.send(producer, topic, 0, "open");
        Consumer<String, String> reader = committedReader(topic);

        assertThat(Clients.valuesOf(Clients.read(reader, 2))).containsExactly("a", "b");
        assertThat(reader.poll(Duration.ofMillis(300)).isEmpty()).isTrue();
        assertThatThrownBy(never::get).hasCauseInstanceOf(TransactionAbortedException.class);
        producer.commitTransaction();
        assertThat(Clients.valuesOf(Clients.read(reader, 1))).containsExactly("open");
    }

    @Test
    void closeWithATimeoutEndsWhatAnotherThreadWaitsFor() throws Exception {
        OutageStore store = new OutageStore(new MemoryBlobStore("close", 1L << 30));
        store.down = true;
        try (Clients patient = new Clients(store, Duration.ofSeconds(30), Duration.ofMinutes(10))) {
            String topic = patient.blobTopic(1);
            Producer<String, String> producer = patient.producer();
            Future<RecordMetadata> lost = producer.send(new ProducerRecord<>(topic, 0, "k", "v"));
            Thread flusher = new Thread(producer::flush, "flusher");
            flusher.start();
            Clients.waitFor("the flush").until(() -> flusher.getState() == Thread.State.TIMED_WAITING);
            // Long before the batch's ten minutes.
            assertTimeoutPreemptively(Duration.ofMinutes(3), () -> producer.close(Duration.ofSeconds(1)));
            flusher.join(120_000);
            assertThat(flusher.isAlive()).isFalse();
            assertThatThrownBy(() -> lost.get(2, TimeUnit.MINUTES)).hasCauseInstanceOf(KafkaException.class);
        }
    }

    /**
     * {@code blobshuffle skip} has written it: only the consumer knows it, and only the producer
     * commits.
     */
    @Test
    void whatIsGivenUpStaysSoOverCommitsOfTransactions() throws Exception {
        String topic = clients.blobTopic(1);
        TopicPartition partition = Clients.partition(topic);
        Producer<String, String> source = clients.producer();
        for (String value : List.of("a", "b", "lost", "c")) {
            Clients.send(source, topic, 0, value);
        }
        String group = "skips-" + topic;
        GivenUp givenUp = new GivenUp(List.of(new GivenUp.Range(2, 3)));
        clients.nativeAdmin()
                .alterConsumerGroupOffsets(group, Map.of(partition, givenUp.in(new OffsetAndMetadata(0))))
                .all()
                .get();

        Producer<String, String> producer = transactional("skips-" + topic);
        for (String expected : List.of("a", "b")) {
            Consumer<String, String> consumer = clients.consumer(group, "max.poll.records", 1);
            consumer.assign(List.of(partition));
            ConsumerRecord<String, String> record = Clients.read(consumer, 1).get(0);
            assertThat(record.value()).isEqualTo(expected);
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(
                    Map.of(partition, new OffsetAndMetadata(record.offset() + 1, "mine")), consumer.groupMetadata());
            producer.commitTransaction();
        }
        Consumer<String, String> last = clients.consumer(group);
        last.assign(List.of(partition));
        assertThat(last.committed(Set.of(partition)).get(partition).metadata()).isEqualTo("mine");
        assertThat(Clients.valuesOf(Clients.read(last, 1))).containsExactly("c");
    }

    @Test
    void sendOutsideATransactionIsRefused() {
        String topic = clients.blobTopic(1);
        Producer<String, String> producer = transactional("t2-" + topic);

        assertThatThrownBy(() -> producer.send(new ProducerRecord<>(topic, 0, "k", "v")))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void zombieIsFencedAndNothingOfItIsRead() {
        String topic = clients.blobTopic(1);
        Producer<String, String> zombie = transactional("t3-" + topic);
        zombie.beginTransaction();
        zombie.send(new ProducerRecord<>(topic, 0, "k", "zombie"));
        Producer<String, String> successor = transactional("t3-" + topic);
        assertThatThrownBy(zombie::commitTransaction)
                .isInstanceOfAny(
                        ProducerFencedException.class, InvalidProducerEpochException.class, KafkaException.class);
        successor.beginTransaction();
        successor.send(new ProducerRecord<>(topic, 0, "k", "successor"));
        successor.commitTransaction();

        assertThat(Clients.valuesOf(Clients.read(committedReader(topic), 1))).containsExactly("successor");
    }

    @Test
    void lostBatchFailsTheCommitUntilTheAbort() {
        OutageStore store = new OutageStore(new MemoryBlobStore("outage", 1L << 30));
        try (Clients failing = new Clients(store, Duration.ofSeconds(30))) {
            String topic = failing.blobTopic(1);
            Producer<String, String> producer = failing.producer("transactional.id", "t4-" + topic);
            producer.initTransactions();
            store.refuses = true;
            producer.beginTransaction();
            Future<RecordMetadata> lost = producer.send(new ProducerRecord<>(topic, 0, "k", "lost"));
            assertThatThrownBy(producer::commitTransaction).isInstanceOf(KafkaException.class);
            assertThatThrownBy(() -> producer.send(new ProducerRecord<>(topic, 0, "k", "refused")))
                    .isInstanceOf(KafkaException.class);
            assertThatThrownBy(producer::commitTransaction).isInstanceOf(KafkaException.class);
            assertThat(lost).isDone();
            store.refuses = false;
            producer.abortTransaction();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, 0, "k", "kept"));
            producer.commitTransaction();

            Consumer<String, String> reader = failing.consumer("reader", "isolation.level", "read_committed");
            reader.assign(List.of(Clients.partition(topic)));
            assertThat(Clients.valuesOf(Clients.read(reader, 1))).containsExactly("kept");
        }
    }

    @Test
    void withoutTransactionsLostSendsFailAndLaterOnesSucceed() throws Exception {
        OutageStore store = new OutageStore(new MemoryBlobStore("outage-2", 1L << 30));
        try (Clients failing = new Clients(store, Duration.ofMillis(10))) {
            String topic = failing.blobTopic(1);
            Producer<String, String> producer = failing.producer();
            store.refuses = true;
            Future<RecordMetadata> lost = producer.send(new ProducerRecord<>(topic, 0, "k", "lost"));
            assertThatThrownBy(lost::get).hasCauseInstanceOf(KafkaException.class);
            store.refuses = false;
            producer.send(new ProducerRecord<>(topic, 0, "k", "kept"));
            producer.flush();

            Consumer<String, String> reader = failing.consumer("reader");
            reader.assign(List.of(Clients.partition(topic)));
            assertThat(Clients.valuesOf(Clients.read(reader, 1))).containsExactly("kept");
        }
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Integer.getInteger("transactions.seeds", 1));
    }

    /**
     * The loop of Kafka's documentation, ended at random moments; every input is in the output
     * once. {@code -Dtransactions.seeds=N}.
     */
    @ParameterizedTest
    @MethodSource("seeds")
    void consumeTransformProduceIsExactThroughCrashes(long seed) {
        String input = clients.blobTopic(2);
        String output = clients.blobTopic(1);
        String group = "loop-" + input;
        Producer<String, String> source = clients.producer();
        int records = 1200;
        for (int i = 0; i < records; i++) {
            source.send(new ProducerRecord<>(input, i % 2, "k", "v" + i));
            if (i % 170 == 0) {
                source.flush();
            }
        }
        source.flush();
        Random random = new Random(seed);
        int copied = 0;
        int starts = 0;
        while (copied < records) {
            copied += runLoop(input, output, group, 1 + random.nextInt(6), random);
            starts++;
        }

        assertThat(starts).isGreaterThan(3);
        List<String> values = Clients.valuesOf(Clients.read(committedReader(output), records));
        assertThat(values).hasSize(records).doesNotHaveDuplicates();
        for (int partition = 0; partition < 2; partition++) {
            int of = partition;
            assertThat(values.stream()
                            .map(value -> Integer.parseInt(value.substring(1)))
                            .filter(number -> number % 2 == of))
                    .isSorted();
        }
        TopicPartition first = new TopicPartition(input, 0);
        assertThat(clients.nativeConsumer(group)
                        .committed(Set.of(first))
                        .get(first)
                        .metadata())
                .isEmpty();
    }

    /**
     * Copies until a crash, which is an abrupt end inside a transaction, before or after its flush.
     * Returns the number of committed records.
     */
    private int runLoop(String input, String output, String group, int transactions, Random random) {
        Consumer<String, String> consumer =
                clients.consumer(group, "max.poll.records", 37, "isolation.level", "read_committed");
        Producer<String, String> producer = transactional("loop-" + input);
        consumer.assign(List.of(new TopicPartition(input, 0), new TopicPartition(input, 1)));
        int committed = 0;
        for (int i = 0; i <= transactions; i++) {
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            List<ConsumerRecord<String, String>> batch = new ArrayList<>();
            consumer.poll(Duration.ofMillis(500)).forEach(batch::add);
            producer.beginTransaction();
            for (ConsumerRecord<String, String> record : batch) {
                producer.send(new ProducerRecord<>(output, 0, record.key(), record.value()));
                offsets.put(
                        new TopicPartition(record.topic(), record.partition()),
                        new OffsetAndMetadata(record.offset() + 1));
            }
            if (i == transactions) {
                if (random.nextBoolean()) {
                    producer.flush();
                }
                break;
            }
            producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
            producer.commitTransaction();
            committed += batch.size();
        }
        producer.close(Duration.ZERO);
        consumer.close();
        return committed;
    }
}
