package dev.blobshuffle.bench.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.workload.Workloads;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/**
 * The resources fit together. .ci/deploy checks them by schema, TheodoliteIT runs the processes.
 * Never tried on a cluster.
 */
class TheodoliteResourcesTest {
    private final JsonNode items = items("uc3", Map.of("blobshuffle.store", "s3://bucket"));

    private static JsonNode items(String workload, Map<String, String> settings) {
        return new ObjectMapper()
                .valueToTree(new TheodoliteResources(
                                Workloads.named(workload),
                                new TheodoliteResources.Brokers("kafka:9092", "shop"),
                                new TheodolitePods(
                                        "registry/bench:1", "1", "2Gi", Optional.of("reader"), Optional.of("s3")))
                        .asJson(
                                Parameters.defaults().with("rate", "1").with("partitions", "40"),
                                settings,
                                new TheodoliteResources.Plan(List.of(1000L, 2000L), List.of(1L, 2L), 300, 3)))
                .path("items");
    }

    private JsonNode item(String kind) {
        return item(items, kind);
    }

    private static JsonNode item(JsonNode items, String kind) {
        for (JsonNode item : items) {
            if (item.path("kind").asText().equals(kind)) {
                return item;
            }
        }
        throw new AssertionError("no " + kind);
    }

    private JsonNode file(String name) throws IOException {
        return file(items, name);
    }

    private static JsonNode file(JsonNode items, String name) throws IOException {
        return new ObjectMapper()
                .readTree(item(items, "ConfigMap").path("data").path(name).asText());
    }

    private static Properties settings(JsonNode items) throws IOException {
        Properties settings = new Properties();
        settings.load(new StringReader(item(items, "ConfigMap")
                .path("data")
                .path("settings.properties")
                .asText()));
        return settings;
    }

    @Test
    void benchmarkHasWhatItsDefinitionRequires() {
        JsonNode spec = item("benchmark").path("spec");

        assertThat(item("benchmark").path("apiVersion").asText()).isEqualTo("theodolite.rocks/v1beta2");
        for (String part : List.of("sut", "loadGenerator")) {
            JsonNode configMap = spec.at("/" + part + "/resources/0/configMap");
            assertThat(configMap.path("name").asText())
                    .isEqualTo(item("ConfigMap").at("/metadata/name").asText());
            assertThat(configMap.path("files"))
                    .isNotEmpty()
                    .allMatch(file -> item("ConfigMap").path("data").has(file.asText()));
        }
        assertThat(spec.at("/slos/0/sli")).isEqualTo(spec.at("/slis/0/name"));
        assertThat(spec.at("/slos/0/operator").asText()).isEqualTo("lt");
        assertThat(spec.at("/slos/0/queryAggregation").asText()).isEqualTo("trend");
        assertThat(spec.at("/resourceTypes/0/patchers/0/type").asText()).isEqualTo("ReplicaPatcher");
        assertThat(spec.at("/slis/0/query").asText())
                .contains("blobshuffle-uc3")
                .doesNotContain("%s");
    }

    @Test
    void executionNamesWhatTheBenchmarkOffers() {
        JsonNode benchmark = item("benchmark").path("spec");
        JsonNode spec = item("execution").path("spec");

        assertThat(spec.path("benchmark")).isEqualTo(item("benchmark").at("/metadata/name"));
        assertThat(spec.at("/load/loadType")).isEqualTo(benchmark.at("/loadTypes/0/typeName"));
        assertThat(spec.at("/resources/resourceType")).isEqualTo(benchmark.at("/resourceTypes/0/typeName"));
        assertThat(spec.at("/load/loadValues")).allMatch(JsonNode::isIntegralNumber);
        assertThat(spec.at("/resources/resourceValues")).allMatch(JsonNode::isIntegralNumber);
        assertThat(spec.at("/execution/metric").asText()).isEqualTo("demand");
        assertThat(spec.path("configOverrides").isArray()).isTrue();
    }

    @Test
    void deploymentsAreWholeResources() throws Exception {
        for (String role : List.of("application", "load-generator")) {
            JsonNode deployment = file(role + ".yaml");
            JsonNode pod = deployment.at("/spec/template/spec");
            JsonNode container = pod.at("/containers/0");

            assertThat(deployment.at("/spec/selector/matchLabels"))
                    .isEqualTo(deployment.at("/spec/template/metadata/labels"));
            assertThat(container.path("name").asText()).isEqualTo(role);
            assertThat(container.path("image").asText()).isEqualTo("registry/bench:1");
            assertThat(container.path("stdin").asBoolean()).isTrue();
            assertThat(container.at("/resources/limits/memory").asText()).isEqualTo("2Gi");
            assertThat(container.at("/envFrom/0/secretRef/name").asText()).isEqualTo("s3");
            assertThat(pod.path("serviceAccountName").asText()).isEqualTo("reader");
            assertThat(Class.forName(container.at("/command/5").asText()).getMethod("main", String[].class))
                    .isNotNull();
        }
    }

    @Test
    void theBenchmarkNamesEachTopicOfTheWorkload() throws Exception {
        for (String workload : List.of("uc1", "uc2", "uc3", "uc4")) {
            JsonNode own = items(workload, Map.of());
            List<String> files = new ArrayList<>();
            item(own, "benchmark")
                    .at("/spec/sut/resources/0/configMap/files")
                    .forEach(file -> files.add(file.asText()));
            List<String> topics = new ArrayList<>();
            for (String file : files) {
                JsonNode resource = file(own, file);
                if (resource.path("kind").asText().equals("KafkaTopic")) {
                    assertThat(resource.at("/spec/partitions").asInt()).isEqualTo(40);
                    assertThat(resource.at("/metadata/labels").toString()).contains("shop");
                    topics.add(resource.at("/metadata/name").asText());
                }
            }
            List<String> expected = new ArrayList<>(List.of("input"));
            expected.addAll(Workloads.named(workload).topics(Parameters.defaults()));

            assertThat(topics)
                    .containsExactlyInAnyOrderElementsOf(expected.stream()
                            .map(topic -> "blobshuffle-" + workload + "-" + topic)
                            .toList())
                    .allMatch(topic -> topic.matches("[a-z0-9]([-a-z0-9]*[a-z0-9])?"))
                    .allMatch(topic -> topic.matches(item(own, "benchmark")
                            .at("/spec/sut/afterActions/0/delete/selector/nameRegex")
                            .asText()));
            assertThat(settings(own).getProperty("bench.input")).isIn(topics);
        }
    }

    @Test
    void onlyOurSettingsMakeItShuffleThroughBlobs() throws Exception {
        assertThat(settings(items))
                .containsEntry("blobshuffle.store", "s3://bucket")
                .containsEntry("default.client.supplier", "dev.blobshuffle.kstreams.BlobShuffleClientSupplier")
                .containsEntry("application.id", "blobshuffle-uc3")
                .containsEntry("bench.workload", "uc3");
        assertThat(settings(items("uc3", Map.of("num.stream.threads", "2", "a.path", "C:\\a"))))
                .containsEntry("num.stream.threads", "2")
                .containsEntry("a.path", "C:\\a")
                .doesNotContainKey("default.client.supplier");
    }

    @Test
    void aLimitThatKubernetesDoesNotKnowIsRefused() {
        assertThatThrownBy(() -> new TheodolitePods("image", "1", "2 GiB", Optional.empty(), Optional.empty()))
                .hasMessageContaining("'2 GiB'");
    }
}
