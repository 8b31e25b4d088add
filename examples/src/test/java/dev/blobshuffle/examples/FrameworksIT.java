package dev.blobshuffle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each framework's example, built as a user would build it, adds up orders through blobs. It runs
 * with the Kafka that the framework brings.
 */
class FrameworksIT {
    private static final String REPARTITION = "order-totals-by-customer-repartition";

    @TempDir
    private Path directory;

    @Test
    void exampleAddsUpOrdersThroughBlobs() throws Exception {
        addsUpOrdersThroughBlobs(Example.packaged("spring-boot-4"), "4.2");
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"spring-boot-3, 3.9", "spring-cloud-stream, 4.1", "quarkus, 4.0", "micronaut, 3.9"})
    void exampleOfEachFrameworkAddsUpOrdersThroughBlobs(String name, String kafkaVersion) throws Exception {
        addsUpOrdersThroughBlobs(Example.build(name, directory.resolve("project")), kafkaVersion);
    }

    /** The example with another Spring Boot and the Spring Cloud Stream that belongs to it. */
    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"3.5.0, 2025.0.0, 3.9", "4.0.9, 2025.1.4, 4.1"})
    void springCloudStreamOfEachLineAddsUpOrdersThroughBlobs(String springBoot, String springCloud, String kafkaVersion)
            throws Exception {
        Example example = Example.build(
                "spring-cloud-stream",
                directory.resolve("project"),
                pom -> pom.replace("<version>4.0.5</version>", "<version>" + springBoot + "</version>")
                        .replace("<version>2025.1.0</version>", "<version>" + springCloud + "</version>"));
        assertThat(Files.readString(directory.resolve("project/spring-cloud-stream/pom.xml")))
                .contains(springBoot, springCloud);

        addsUpOrdersThroughBlobs(example, kafkaVersion);
    }

    /** Of those that a usual build does not run. */
    @Test
    void exampleOfEachFrameworkCompiles() throws Exception {
        Example.compile(
                List.of("spring-boot-3", "spring-cloud-stream", "quarkus", "micronaut", "spring-boot", "spark"),
                directory.resolve("projects"),
                "-Pspring-boot-3");
    }

    private void addsUpOrdersThroughBlobs(Example example, String kafkaVersion) throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().start()) {
            kafka.createTopic("orders", 2);
            kafka.createTopic("totals", 2);
            OrderBook orders = OrderBook.send(kafka.bootstrapServers());
            Process application = example.start(Map.of(
                    "KAFKA_BOOTSTRAP_SERVERS",
                    kafka.bootstrapServers(),
                    "BLOB_STORE",
                    "file://" + directory.resolve("blobs"),
                    "STATE_DIR",
                    directory.resolve("state").toString(),
                    "PORT",
                    "0"));
            try {
                assertThat(orders.totals(application)).as(example::output).isEqualTo(orders.expected());
            } finally {
                Example.stop(application);
            }

            assertThat(example.output())
                    .contains("started for application order-totals", "kafka-clients " + kafkaVersion)
                    .doesNotContain("runs natively in this process");
            assertThat(Example.bytes(directory.resolve("blobs"))).isGreaterThan(OrderBook.ORDERS * 8L);
            // Natively there would be one for each order.
            assertThat(orders.records(REPARTITION)).isBetween(1L, OrderBook.ORDERS / 4L);
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

        for (String name : List.of("spring-boot-4", "spring-boot-3")) {
            assertThat(source(name)).containsIgnoringWhitespaces(beans.get(0));
        }
        assertThat(source("micronaut")).containsIgnoringWhitespaces(beans.get(1));
    }

    private static String source(String example) throws IOException {
        return Files.readString(Path.of(example, "src/main/java/example/OrderTotals.java"));
    }
}
