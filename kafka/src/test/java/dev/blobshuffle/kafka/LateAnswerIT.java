package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A coordinator that answers the first queries for commits too late. The effect depends on the
 * version of the real consumer.
 */
@Tag("every-kafka")
class LateAnswerIT {
    private static final int PARTITIONS = 8;

    private Clients clients;
    private String topic;

    @BeforeEach
    void open() {
        clients = new Clients(new MemoryBlobStore("late", 1L << 24), Duration.ofMillis(50));
        topic = clients.blobTopic(PARTITIONS);
        Producer<String, String> producer = clients.producer();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            producer.send(new ProducerRecord<>(topic, partition, "k", "v"));
        }
        producer.flush();
    }

    @AfterEach
    void close() {
        clients.close();
    }

    @ParameterizedTest
    @CsvSource({"consumer, 1", "consumer, 3", "classic, 1"})
    void everyAssignedPartitionIsRead(String protocol, int late) {
        Consumer<byte[], byte[]> real = new KafkaConsumer<>(
                clients.settings(
                        "group.id",
                        topic + late + protocol,
                        "group.protocol",
                        protocol,
                        "auto.offset.reset",
                        "earliest",
                        "enable.auto.commit",
                        false),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        AtomicInteger questions = new AtomicInteger();
        try (Consumer<byte[], byte[]> consumer = clients.wrap(answeringLate(real, late, questions))) {
            consumer.subscribe(List.of(topic));
            Set<Integer> read = new HashSet<>();
            Clients.waitFor("records of all partitions").untilAsserted(() -> {
                consumer.poll(Duration.ofMillis(5)).forEach(record -> read.add(record.partition()));
                assertThat(read)
                        .as("paused by us: %s; shown as paused: %s", real.paused(), consumer.paused())
                        .hasSize(PARTITIONS);
            });
            assertThat(questions.get()).as("asked again").isGreaterThan(late);
        }
    }

    @SuppressWarnings("unchecked")
    private static Consumer<byte[], byte[]> answeringLate(
            Consumer<byte[], byte[]> real, int late, AtomicInteger questions) {
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                Consumer.class.getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("committed") && questions.incrementAndGet() <= late) {
                        throw new TimeoutException("The coordinator is slow.");
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
