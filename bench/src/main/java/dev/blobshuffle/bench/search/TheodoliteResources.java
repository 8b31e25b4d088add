package dev.blobshuffle.bench.search;

import static dev.blobshuffle.bench.search.Ordered.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.bench.application.BenchApplication;
import dev.blobshuffle.bench.application.LoadGenerator;
import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.workload.BenchWorkload;
import dev.blobshuffle.bench.workload.Topics;
import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A workload as resources of Theodolite's operator (API {@code theodolite.rocks/v1beta2}): a
 * ConfigMap with the topics (Strimzi's {@code KafkaTopic}) and the deployments of application and
 * load generator, a Benchmark, and an Execution. JSON, which every YAML reader takes. The settings
 * of the application come from the ConfigMap; the operator patches load and instances.
 */
public final class TheodoliteResources {
    private static final String API = "theodolite.rocks/v1beta2";
    private static final String TOPIC_API = "kafka.strimzi.io/v1beta2";
    private static final String LAG =
            "sum by(consumergroup) (kafka_consumergroup_lag{consumergroup=\"%s\"} >= 0) or vector(0)";
    private static final String APPLICATION = "application.yaml";
    private static final String LOAD_GENERATOR = "load-generator.yaml";
    private static final int INTERVAL_SECONDS = 5;
    private static final int WARM_UP_SECONDS = 60;

    private final BenchWorkload workload;
    private final Brokers brokers;
    private final TheodolitePods pods;

    /**
     * The brokers of the cluster.
     *
     * @param bootstrapServers their addresses
     * @param cluster the name of Strimzi's {@code Kafka} resource
     */
    public record Brokers(String bootstrapServers, String cluster) {}

    /**
     * The plan of the experiments.
     *
     * @param loads records per second
     * @param instances numbers of instances
     * @param seconds length of an experiment
     * @param repetitions of each experiment
     */
    public record Plan(List<Long> loads, List<Long> instances, long seconds, int repetitions) {}

    /** Resources of a workload. */
    public TheodoliteResources(BenchWorkload workload, Brokers brokers, TheodolitePods pods) {
        this.workload = workload;
        this.brokers = brokers;
        this.pods = pods;
    }

    /** The application.id; all resources and topics begin with it. */
    private String name() {
        return "blobshuffle-" + workload.name();
    }

    private Topics topics() {
        return new Topics(name(), name() + "-input");
    }

    /**
     * All resources as one list.
     *
     * @param settings of the application; with one of ours it shuffles through blobs
     */
    public Map<String, Object> asJson(Parameters parameters, Map<String, String> settings, Plan plan) {
        Map<String, Object> topics = topicFiles(parameters);
        return json(
                "apiVersion",
                "v1",
                "kind",
                "List",
                "items",
                List.of(configMap(parameters, settings, topics), benchmark(topics.keySet()), execution(plan)));
    }

    private Map<String, Object> configMap(
            Parameters parameters, Map<String, String> settings, Map<String, Object> topics) {
        Map<String, Object> data = json(
                "settings.properties",
                properties(parameters, settings),
                APPLICATION,
                text(pods.deployment(name() + "-application", "application", BenchApplication.class.getName(), name())),
                LOAD_GENERATOR,
                text(pods.deployment(
                        name() + "-load-generator", "load-generator", LoadGenerator.class.getName(), name())));
        data.putAll(topics);
        return json("apiVersion", "v1", "kind", "ConfigMap", "metadata", json("name", name()), "data", data);
    }

    /** The file that both processes read. */
    private String properties(Parameters parameters, Map<String, String> settings) {
        Properties own = new Properties();
        parameters.addTo(own);
        own.setProperty("application.id", name());
        own.setProperty("bootstrap.servers", brokers.bootstrapServers());
        own.setProperty("num.stream.threads", parameters.text(Parameter.THREADS));
        own.setProperty("processing.guarantee", parameters.text(Parameter.GUARANTEE));
        own.setProperty("commit.interval.ms", parameters.text(Parameter.COMMIT_INTERVAL_MS));
        own.setProperty("auto.offset.reset", "earliest");
        own.setProperty("bench.workload", workload.name());
        own.setProperty("bench.input", topics().input());
        own.setProperty("bench.measured", "/tmp/measured.properties");
        own.setProperty("bench.keyless.partitions", parameters.text(Parameter.PARTITIONS));
        own.setProperty("bench.prepares", "true");
        settings.forEach(own::setProperty);
        if (settings.keySet().stream().anyMatch(name -> name.startsWith("blobshuffle."))) {
            BlobShuffleClientSupplier.addTo(own);
        }
        return own.stringPropertyNames().stream()
                .sorted()
                .map(name -> name + "=" + own.getProperty(name).replace("\\", "\\\\") + "\n")
                .collect(Collectors.joining());
    }

    /** A file for each topic that the workload does not create itself. */
    private Map<String, Object> topicFiles(Parameters parameters) {
        Map<String, Object> files = json("topic-input.yaml", text(topic(topics().input(), parameters)));
        workload.topics(parameters)
                .forEach(name -> files.put("topic-" + name + ".yaml", text(topic(topics().own(name), parameters))));
        return files;
    }

    private Map<String, Object> topic(String name, Parameters parameters) {
        return json(
                "apiVersion",
                TOPIC_API,
                "kind",
                "KafkaTopic",
                "metadata",
                json("name", name, "labels", json("strimzi.io/cluster", brokers.cluster())),
                // Replicas are the brokers' default.
                "spec",
                json("partitions", parameters.count(Parameter.PARTITIONS)));
    }

    private Map<String, Object> benchmark(Set<String> topics) {
        List<String> files = new ArrayList<>(topics);
        files.add(APPLICATION);
        Map<String, Object> sut = files(files);
        // An experiment finds no state of the one before.
        Map<String, Object> ownTopics =
                json("apiVersion", TOPIC_API, "kind", "KafkaTopic", "nameRegex", "^" + name() + "-.*");
        sut.put("afterActions", List.of(json("delete", json("selector", ownTopics))));
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
                        sut,
                        "loadGenerator",
                        files(List.of(LOAD_GENERATOR)),
                        "resourceTypes",
                        List.of(instances()),
                        "loadTypes",
                        List.of(rate()),
                        "slis",
                        List.of(lagTrend()),
                        "slos",
                        List.of(lagObjective())));
    }

    private Map<String, Object> lagTrend() {
        return json(
                "name",
                "lag trend",
                "provider",
                "prometheus",
                "query",
                String.format(Locale.ROOT, LAG, name()),
                "intervalSeconds",
                INTERVAL_SECONDS);
    }

    private static Map<String, Object> lagObjective() {
        return json(
                "name", "lag trend",
                "sli", "lag trend",
                "warmupSeconds", WARM_UP_SECONDS,
                "queryAggregation", "trend",
                "repetitionAggregation", "median",
                "operator", "lt",
                "thresholdRelToLoad", 0.01);
    }

    private static Map<String, Object> instances() {
        return json(
                "typeName", "Instances", "patchers", List.of(json("type", "ReplicaPatcher", "resource", APPLICATION)));
    }

    private static Map<String, Object> rate() {
        return json(
                "typeName",
                "RecordsPerSecond",
                "patchers",
                List.of(json(
                        "type",
                        "EnvVarPatcher",
                        "resource",
                        LOAD_GENERATOR,
                        "properties",
                        json("container", "load-generator", "variableName", "BENCH_RATE"))));
    }

    private Map<String, Object> files(List<String> files) {
        return json("resources", List.of(json("configMap", json("name", name(), "files", files))));
    }

    private Map<String, Object> execution(Plan plan) {
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
                        json("loadType", "RecordsPerSecond", "loadValues", plan.loads()),
                        "resources",
                        json("resourceType", "Instances", "resourceValues", plan.instances()),
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
                                plan.seconds(),
                                "repetitions",
                                plan.repetitions(),
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
}
