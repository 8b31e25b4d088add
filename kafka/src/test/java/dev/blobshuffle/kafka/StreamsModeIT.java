package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.Mode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The calls of Kafka Streams around a commit, in its order, with their expected effects. */
class StreamsModeIT {
    private final OutageStore store = new OutageStore(new MemoryBlobStore("streams-mode", 1L << 30));
    private final ClientPair pair = new ClientPair.Registry().of("app-StreamThread-1-consumer");
    private Clients clients;
    private String topic;

    @BeforeEach
    void open() {
        clients = new Clients(store, Duration.ofSeconds(30));
        topic = clients.blobTopic(1);
    }

    @AfterEach
    void close() {
        clients.close();
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, String value) {
        return new ProducerRecord<>(topic, 0, 1L, (byte[]) null, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Offsets in the log, including those of open transactions. */
    private long storedOffsets() throws Exception {
        TopicPartition partition = Clients.partition(topic);
        return clients.nativeAdmin()
                .listOffsets(Map.of(partition, OffsetSpec.latest()))
                .partitionResult(partition)
                .get()
                .offset();
    }

    @Tag("every-kafka")
    @Test
    void exactlyOnceDrainsAtTheCommitAndNotAtEachFlush() throws Exception {
        clients.streamsConsumer(Mode.KAFKA_STREAMS_EOS, pair);
        Producer<byte[], byte[]> producer =
                clients.streamsProducer(Mode.KAFKA_STREAMS_EOS, pair, "transactional.id", "eos-" + topic);
        producer.initTransactions();
        producer.beginTransaction();
        int[] called = {0};
        producer.send(
                record(topic, "a"),
                (metadata, failure) -> called[0] += metadata.offset() >= 0 && failure == null ? 1 : 0);
        assertThat(called[0]).isEqualTo(1);
        producer.flush();
        assertThat(storedOffsets()).isZero();
        producer.commitTransaction();
        assertThat(storedOffsets()).isPositive();
    }

    @Test
    void notificationsDoNotWaitForTheProducersLinger() {
        try (Clients prompt = new Clients(store, Duration.ofMillis(1))) {
            Consumer<byte[], byte[]> consumer =
                    prompt.streamsConsumer(Mode.KAFKA_STREAMS_ALO, pair, "group.id", "linger-" + topic);
            consumer.assign(List.of(Clients.partition(topic)));
            Producer<byte[], byte[]> producer = prompt.streamsProducer(
                    Mode.KAFKA_STREAMS_ALO, pair, "linger.ms", 600_000, "delivery.timeout.ms", 700_000);
            for (int i = 0; i < 3; i++) {
                producer.send(record(topic, "v" + i));
                // Waits at most a tenth of the linger time.
                assertThat(Clients.read(consumer, 1)).hasSize(1);
            }
        }
    }

    @Test
    void atLeastOnceDrainsAtEachFlush() throws Exception {
        clients.streamsConsumer(Mode.KAFKA_STREAMS_ALO, pair);
        Producer<byte[], byte[]> producer = clients.streamsProducer(Mode.KAFKA_STREAMS_ALO, pair);
        producer.send(record(topic, "a"));
        producer.flush();
        assertThat(storedOffsets()).isEqualTo(1);
    }

    @Test
    void lossUnderAtLeastOnceRefusesCommitsUntilTheTasksAreGivenUp() {
        Consumer<byte[], byte[]> consumer =
                clients.streamsConsumer(Mode.KAFKA_STREAMS_ALO, pair, "group.id", "alo-" + topic);
        Producer<byte[], byte[]> producer = clients.streamsProducer(Mode.KAFKA_STREAMS_ALO, pair);
        TopicPartition input = Clients.partition(topic);
        consumer.assign(List.of(input));
        Map<TopicPartition, OffsetAndMetadata> offsets = Map.of(input, new OffsetAndMetadata(0));
        store.refuses = true;
        producer.send(record(topic, "lost"));
        producer.flush();
        assertThatThrownBy(() -> consumer.commitSync(offsets)).isInstanceOf(CommitFailedException.class);
        assertThatThrownBy(() -> producer.send(record(topic, "refused")))
                .hasCauseInstanceOf(InvalidProducerEpochException.class);
        store.refuses = false;
        assertThatThrownBy(() -> consumer.commitSync(offsets)).isInstanceOf(CommitFailedException.class);
        consumer.unsubscribe();
        consumer.assign(List.of(input));
        producer.send(record(topic, "again"));
        consumer.commitSync(offsets);

        assertThat(Clients.read(consumer, 1).get(0).value()).isEqualTo("again".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void lossUnderExactlyOnceFailsSendAndCommitUntilTheAbort() {
        clients.streamsConsumer(Mode.KAFKA_STREAMS_EOS, pair);
        Producer<byte[], byte[]> producer =
                clients.streamsProducer(Mode.KAFKA_STREAMS_EOS, pair, "transactional.id", "lost-" + topic);
        producer.initTransactions();
        producer.beginTransaction();
        store.refuses = true;
        producer.send(record(topic, "lost"));
        assertThatThrownBy(producer::commitTransaction).isInstanceOf(CommitFailedException.class);
        assertThatThrownBy(() -> producer.send(record(topic, "refused")))
                .hasCauseInstanceOf(InvalidProducerEpochException.class);
        store.refuses = false;
        producer.abortTransaction();
        producer.beginTransaction();
        producer.send(record(topic, "kept"));
        producer.commitTransaction();

        Consumer<byte[], byte[]> reader = clients.byteConsumer("reader", "isolation.level", "read_committed");
        reader.assign(List.of(Clients.partition(topic)));
        assertThat(Clients.read(reader, 1).get(0).value()).isEqualTo("kept".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void brokerThatDoesNotTellThePartitionsIsALossAndDoesNotEndTheThread() {
        clients.streamsConsumer(Mode.KAFKA_STREAMS_ALO, pair);
        Producer<byte[], byte[]> producer = clients.streamsProducer(
                Mode.KAFKA_STREAMS_ALO, pair, "bootstrap.servers", "127.0.0.1:1", "max.block.ms", 50);

        assertThatThrownBy(() -> producer.send(record(topic, "a")))
                .hasCauseInstanceOf(InvalidProducerEpochException.class);
    }

    @Test
    void threadWhoseConsumerIsNotWrappedIsStoppedAtItsFirstRecord() {
        Producer<byte[], byte[]> producer = clients.streamsProducer(Mode.KAFKA_STREAMS_ALO, pair);

        assertThatThrownBy(() -> producer.send(record(topic, "a")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not wrapped");
    }
}
