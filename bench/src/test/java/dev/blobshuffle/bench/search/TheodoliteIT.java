package dev.blobshuffle.bench.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.process.ApplicationProcess;
import dev.blobshuffle.bench.process.Generator;
import dev.blobshuffle.bench.workload.Workloads;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the resources start works against a broker, with their topics and settings. */
class TheodoliteIT {
    @TempDir
    private Path directory;

    @Test
    void theDeploymentsShuffleThroughBlobs() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.shared()) {
            // The hierarchy of uc4 lies in a topic that the load generator fills.
            JsonNode data = data("uc4", kafka.bootstrapServers());
            Properties settings = new Properties();
            settings.load(new StringReader(data.path("settings.properties").asText()));
            settings.setProperty("bench.rate", "500"); // as the operator sets BENCH_RATE
            data.properties().stream()
                    .filter(file -> file.getKey().startsWith("topic-"))
                    .map(file -> parsed(file.getValue()))
                    .forEach(topic -> kafka.createTopic(
                            topic.at("/metadata/name").asText(),
                            topic.at("/spec/partitions").asInt()));
            try (ApplicationProcess application = ApplicationProcess.start(
                            directory.resolve("application"), main(data, "application.yaml"), settings, List.of());
                    Generator generator =
                            Generator.start(directory.resolve("load"), main(data, "load-generator.yaml"), settings)) {
                await("records after the shuffle")
                        .atMost(Duration.ofMinutes(5))
                        .pollInSameThread()
                        .pollInterval(Duration.ofMillis(50))
                        .until(() -> {
                            application.check();
                            generator.check();
                            return application.count() > 0;
                        });
            }
            assertThat(blobs()).isPositive();
        }
    }

    private JsonNode data(String workload, String bootstrapServers) {
        TheodoliteResources resources = new TheodoliteResources(
                Workloads.named(workload),
                new TheodoliteResources.Brokers(bootstrapServers, "theodolite-kafka"),
                new TheodolitePods("image", "1", "2Gi", Optional.empty(), Optional.empty()));
        Map<String, Object> json = resources.asJson(
                Parameters.defaults().with("rate", "1").with("partitions", "2").with("seconds", "600"),
                Map.of(
                        "blobshuffle.store",
                        directory.resolve("blobs").toUri().toString(),
                        "blobshuffle.inline.max.bytes",
                        "0",
                        "commit.interval.ms",
                        "200",
                        "state.dir",
                        directory.resolve("state").toString()),
                new TheodoliteResources.Plan(List.of(500L), List.of(1L), 300, 1));
        return new ObjectMapper().valueToTree(json).at("/items/0/data");
    }

    private static Class<?> main(JsonNode data, String deployment) throws ClassNotFoundException {
        return Class.forName(parsed(data.path(deployment))
                .at("/spec/template/spec/containers/0/command/5")
                .asText());
    }

    private static JsonNode parsed(JsonNode text) {
        try {
            return new ObjectMapper().readTree(text.asText());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private long blobs() {
        return LiveFiles.below(directory.resolve("blobs")).size();
    }
}
