package dev.blobshuffle.bench.search;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;

/**
 * A workload as resources of Theodolite's operator (API {@code theodolite.rocks/v1beta2}): a
 * ConfigMap with the deployments of the application and of the load generator, a Benchmark, and an
 * Execution. JSON, which every YAML reader takes. The settings of the application come from the
 * ConfigMap; load and instances are patched by the operator.
 */
public final class TheodoliteResources {
    private static final String API = "theodolite.rocks/v1beta2";
    private static final String LAG =
            "sum by(consumergroup) (kafka_consumergroup_lag{consumergroup=\"%s\"} >= 0) or vector(0)";
    private static final int INTERVAL_SECONDS = 5;
    private static final int WARM_UP_SECONDS = 60;

    private final String workload;
    private final String image;
    private final String bootstrapServers;

    /**
     * Resources of a workload.
     *
     * @param image that has this command line at {@code /blobshuffle}
     * @param bootstrapServers of the brokers in the cluster
     */
    public TheodoliteResources(String workload, String image, String bootstrapServers) {
        this.workload = workload;
        this.image = image;
        this.bootstrapServers = bootstrapServers;
    }

    private String name() {
        return "blobshuffle-" + workload;
    }

    /** All resources as one list. */
    public Map<String, Object> asJson(
            Parameters parameters,
            Map<String, String> settings,
            List<Long> loads,
            List<Long> resources,
            long seconds,
            int repetitions) {
        return json(
                "apiVersion",
                "v1",
                "kind",
                "List",
                "items",
                List.of(
                        configMap(parameters, settings),
                        benchmark(),
                        execution(loads, resources, seconds, repetitions)));
    }

    private Map<String, Object> configMap(Parameters parameters, Map<String, String> settings) {
        StringBuilder text = new StringBuilder();
        settings.forEach(
                (key, value) -> text.append(key).append('=').append(value).append('\n'));
        Properties own = new Properties();
        parameters.addTo(own);
        own.stringPropertyNames().stream()
                .sorted()
                .forEach(key -> text.append(key)
                        .append('=')
                        .append(own.getProperty(key))
                        .append('\n'));
        text.append("application.id=").append(name()).append('\n');
        text.append("bootstrap.servers=").append(bootstrapServers).append('\n');
        text.append("bench.workload=").append(workload).append('\n');
        text.append("bench.input=input\n");
        text.append("bench.measured=/tmp/measured.properties\n");
        text.append("bench.keyless.partitions=")
                .append(parameters.text(Parameter.PARTITIONS))
                .append('\n');
        return json(
                "apiVersion",
                "v1",
                "kind",
                "ConfigMap",
                "metadata",
                json("name", name()),
                "data",
                json(
                        "settings.properties",
                        text.toString(),
                        "application.yaml",
                        text(deployment("application", "dev.blobshuffle.bench.application.BenchApplication")),
                        "load-generator.yaml",
                        text(deployment("load-generator", "dev.blobshuffle.bench.application.LoadGenerator"))));
    }

    private Map<String, Object> deployment(String role, String main) {
        Map<String, Object> labels = json("app", name() + "-" + role);
        Map<String, Object> container = json(
                "name",
                role,
                "image",
                image,
                "command",
                List.of("java", "-cp", "/blobshuffle/*", main, "/settings/settings.properties"),
                "stdin",
                true, // it ends when its standard input does
                "env",
                List.of(json("name", "BENCH_RATE", "value", "1000")),
                "volumeMounts",
                List.of(json("name", "settings", "mountPath", "/settings")));
        return json(
                "apiVersion",
                "apps/v1",
                "kind",
                "Deployment",
                "metadata",
                json("name", name() + "-" + role),
                "spec",
                json(
                        "replicas",
                        1,
                        "selector",
                        json("matchLabels", labels),
                        "template",
                        json(
                                "metadata",
                                json("labels", labels),
                                "spec",
                                json(
                                        "containers",
                                        List.of(container),
                                        "volumes",
                                        List.of(json("name", "settings", "configMap", json("name", name())))))));
    }

    private Map<String, Object> benchmark() {
        Map<String, Object> instances = json(
                "typeName",
                "Instances",
                "patchers",
                List.of(json("type", "ReplicaPatcher", "resource", "application.yaml")));
        Map<String, Object> rate = json(
                "typeName",
                "RecordsPerSecond",
                "patchers",
                List.of(json(
                        "type", "EnvVarPatcher",
                        "resource", "load-generator.yaml",
                        "properties", json("container", "load-generator", "variableName", "BENCH_RATE"))));
        return json(
                "apiVersion",
                API,
                "kind",
                "benchmark",
                "metadata",
                json("name", name()),
                "spec",
                json(
                        "sut",
                        files("application.yaml"),
                        "loadGenerator",
                        files("load-generator.yaml"),
                        "resourceTypes",
                        List.of(instances),
                        "loadTypes",
                        List.of(rate),
                        "slis",
                        List.of(json(
                                "name",
                                "lag trend",
                                "provider",
                                "prometheus",
                                "query",
                                String.format(Locale.ROOT, LAG, name()),
                                "intervalSeconds",
                                INTERVAL_SECONDS)),
                        "slos",
                        List.of(json(
                                "name", "lag trend",
                                "sli", "lag trend",
                                "warmupSeconds", WARM_UP_SECONDS,
                                "queryAggregation", "trend",
                                "repetitionAggregation", "median",
                                "operator", "lt",
                                "thresholdRelToLoad", 0.01))));
    }

    private Map<String, Object> files(String file) {
        return json("resources", List.of(json("configMap", json("name", name(), "files", List.of(file)))));
    }

    private Map<String, Object> execution(List<Long> loads, List<Long> resources, long seconds, int repetitions) {
        return json(
                "apiVersion",
                API,
                "kind",
                "execution",
                "metadata",
                json("name", name()),
                "spec",
                json(
                        "benchmark",
                        name(),
                        "load",
                        json("loadType", "RecordsPerSecond", "loadValues", new ArrayList<>(loads)),
                        "resources",
                        json("resourceType", "Instances", "resourceValues", new ArrayList<>(resources)),
                        "execution",
                        json(
                                "metric",
                                "demand",
                                "strategy",
                                json(
                                        "name", "RestrictionSearch",
                                        "restrictions", List.of("LowerBound"),
                                        "searchStrategy", "LinearSearch"),
                                "duration",
                                seconds,
                                "repetitions",
                                repetitions,
                                "loadGenerationDelay",
                                30),
                        "configOverrides",
                        List.of()));
    }

    private static String text(Map<String, Object> json) {
        try {
            return new ObjectMapper().writeValueAsString(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Cannot write a resource: " + e.getMessage() + ".", e);
        }
    }

    /** An ordered map of names and values in turn. */
    private static Map<String, Object> json(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], Objects.requireNonNull(namesAndValues[i + 1]));
        }
        return map;
    }
}
