package dev.blobshuffle.bench.search;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.bench.parameter.Parameters;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The structure that Theodolite's custom resource definitions ask for. Never tried on a cluster.
 */
class TheodoliteResourcesTest {
    private final JsonNode items = new ObjectMapper()
            .valueToTree(new TheodoliteResources("uc3", "registry/blobshuffle:1", "kafka:9092")
                    .asJson(
                            Parameters.defaults().with("rate", "1"),
                            Map.of("blobshuffle.store", "s3://bucket"),
                            List.of(1000L, 2000L),
                            List.of(1L, 2L),
                            300,
                            3))
            .path("items");

    private JsonNode item(String kind) {
        for (JsonNode item : items) {
            if (item.path("kind").asText().equals(kind)) {
                return item;
            }
        }
        throw new AssertionError("no " + kind);
    }

    @Test
    void benchmarkHasWhatItsDefinitionRequires() {
        JsonNode spec = item("benchmark").path("spec");

        assertThat(item("benchmark").path("apiVersion").asText()).isEqualTo("theodolite.rocks/v1beta2");
        for (String part : List.of("sut", "loadGenerator")) {
            JsonNode configMap = spec.at("/" + part + "/resources/0/configMap");
            assertThat(configMap.path("name").asText())
                    .isEqualTo(item("ConfigMap").at("/metadata/name").asText());
            assertThat(item("ConfigMap")
                            .path("data")
                            .has(configMap.at("/files/0").asText()))
                    .isTrue();
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
        JsonNode application = new ObjectMapper()
                .readTree(item("ConfigMap").at("/data/application.yaml").asText());

        assertThat(application.path("kind").asText()).isEqualTo("Deployment");
        assertThat(application.at("/spec/selector/matchLabels"))
                .isEqualTo(application.at("/spec/template/metadata/labels"));
        JsonNode container = application.at("/spec/template/spec/containers/0");
        assertThat(container.path("stdin").asBoolean()).isTrue();
        assertThat(item("ConfigMap").at("/data/settings.properties").asText())
                .contains("blobshuffle.store=s3://bucket", "bench.workload=uc3", "application.id=blobshuffle-uc3");
        for (String main : List.of("application", "load-generator")) {
            String command = new ObjectMapper()
                    .readTree(item("ConfigMap").at("/data/" + main + ".yaml").asText())
                    .at("/spec/template/spec/containers/0/command/3")
                    .asText();
            assertThat(command)
                    .satisfies(name -> assertThat(Class.forName(name)).isNotNull());
        }
    }
}
