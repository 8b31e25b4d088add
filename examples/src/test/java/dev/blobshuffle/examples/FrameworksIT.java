package dev.blobshuffle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each framework's example, built as a user would build it, adds up orders through blobs. It runs
 * with the Kafka that the framework brings.
 */
class FrameworksIT {
    private static final int ORDERS = 3_000;
    private static final int CUSTOMERS = 50;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String REPARTITION = "order-totals-by-customer-repartition";

    @TempDir
    private Path directory;

    @BeforeAll
    static void publish() throws IOException {
        Example.publish();
    }

    @ParameterizedTest
    @CsvSource({"spring-boot-4, 4.2", "spring-boot-3, 3.9", "spring-cloud-stream, 4.1", "quarkus, 4.0", "micronaut, 3.9"
    })
    void exampleAddsUpOrdersThroughBlobs(String name, String kafkaVersion) throws Exception {
        Example example = Example.build(name, directory);
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().start()) {
            kafka.createTopic("orders", 2);
            kafka.createTopic("totals", 2);
            Map<String, Long> expected = order(kafka.bootstrapServers());
            Process application = example.start(Map.of(
                    "KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrapServers(),
                    "BLOB_STORE", "file://" + directory.resolve("blobs"),
                    "STATE_DIR", directory.resolve("state").toString()));
            try {
                assertThat(totals(kafka.bootstrapServers(), application, expected))
                        .as(example::output)
                        .isEqualTo(expected);
            } finally {
                application.destroy();
                if (!application.waitFor(1, TimeUnit.MINUTES)) {
                    application.destroyForcibly();
                }
            }

            assertThat(example.output())
                    .contains("started for application order-totals", "kafka-clients " + kafkaVersion)
                    .doesNotContain("runs natively in this process");
            assertThat(blobBytes()).isGreaterThan(ORDERS * 8L);
            assertThat(recordsOfRepartitionTopic(kafka.bootstrapServers())).isBetween(1L, ORDERS / 4L);
        }
    }

    @Test
    void beansOfTheGuideAreThoseOfTheExamples() throws IOException {
        String[] parts =
                Files.readString(Path.of("../docs/guides/frameworks.md")).split("```java|```", -1);
        List<String> beans = Stream.of(parts)
                .filter(part -> part.contains("{@code KafkaStreams}"))
                .toList();
        assertThat(beans).hasSize(2);

        for (String name : List.of("spring-boot-4", "spring-boot-3", "spring-cloud-stream")) {
            assertThat(source(name)).containsIgnoringWhitespaces(beans.get(0));
        }
        assertThat(source("micronaut")).containsIgnoringWhitespaces(beans.get(1));
    }

    private static String source(String example) throws IOException {
        return Files.readString(Path.of(example, "src/main/java/example/OrderTotals.java"));
    }

    private static Map<String, Long> order(String bootstrap) {
        Map<String, Long> totals = new HashMap<>();
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < ORDERS; i++) {
                String customer = "customer-" + i % CUSTOMERS;
                producer.send(new ProducerRecord<>("orders", "order-" + i, customer + ":" + i));
                totals.merge(customer, (long) i, Long::sum);
            }
        }
        return totals;
    }

    private static Map<String, Long> totals(String bootstrap, Process application, Map<String, Long> expected) {
        Map<String, Long> totals = new HashMap<>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (KafkaConsumer<String, Long> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "auto.offset.reset", "earliest",
                        "isolation.level", "read_committed"),
                new StringDeserializer(),
                new LongDeserializer())) {
            consumer.assign(List.of(new TopicPartition("totals", 0), new TopicPartition("totals", 1)));
            while (!totals.equals(expected) && System.nanoTime() < deadline && application.isAlive()) {
                consumer.poll(Duration.ofMillis(200)).forEach(total -> totals.put(total.key(), total.value()));
            }
        }
        return totals;
    }

    private long blobBytes() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("blobs"))) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    /** Natively there would be one for each order; markers of transactions count here as well. */
    private static long recordsOfRepartitionTopic(String bootstrap) throws Exception {
        long records = 0;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            for (int partition = 0; partition < 2; partition++) {
                TopicPartition of = new TopicPartition(REPARTITION, partition);
                records += admin.listOffsets(Map.of(of, OffsetSpec.latest()))
                        .partitionResult(of)
                        .get()
                        .offset();
            }
        }
        return records;
    }
}
