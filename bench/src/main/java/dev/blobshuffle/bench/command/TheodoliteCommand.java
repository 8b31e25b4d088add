package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.search.TheodolitePods;
import dev.blobshuffle.bench.search.TheodoliteResources;
import dev.blobshuffle.bench.workload.BenchWorkload;
import dev.blobshuffle.bench.workload.Workloads;
import dev.blobshuffle.cli.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench theodolite}: a workload as resources of Theodolite's
 * operator on Kubernetes.
 */
@Command(
        name = "theodolite",
        description =
                "Prints a workload as Kubernetes resources for Theodolite's operator (JSON, for kubectl apply -f -).",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class TheodoliteCommand implements Callable<Integer> {
    @picocli.CommandLine.Parameters(index = "0", defaultValue = "uc3", description = "What to run.")
    private String workloadName;

    @Option(
            names = "--image",
            required = true,
            description = "Container image of the benchmarks: make bench-image, pushed where the cluster pulls from.")
    private String image;

    @Option(names = "--bootstrap-servers", required = true, description = "Of the brokers in the cluster.")
    private String bootstrapServers;

    @Option(
            names = "--kafka-cluster",
            defaultValue = "theodolite-kafka",
            description = "Name of Strimzi's Kafka resource, whose topic operator makes the topics.")
    private String kafkaCluster;

    @Option(names = "--limit-cpu", defaultValue = "1", description = "CPU of each pod, requested and limit.")
    private String limitCpu;

    @Option(names = "--limit-memory", defaultValue = "2Gi", description = "Memory of each pod, requested and limit.")
    private String limitMemory;

    @Option(
            names = "--service-account",
            description = "Service account of the pods, which may give them the right to the store.")
    private @Nullable String serviceAccount;

    @Option(
            names = "--secret",
            description = "Secret whose entries the pods get as environment variables, such as AWS_ACCESS_KEY_ID.")
    private @Nullable String secret;

    @Option(names = "--loads", split = ",", defaultValue = "10000,20000,40000", description = "Records per second.")
    private List<Long> loads;

    @Option(names = "--instances", split = ",", defaultValue = "1,2,4,8", description = "Numbers of instances.")
    private List<Long> instances;

    @Option(names = "--seconds", defaultValue = "300", description = "Length of an experiment.")
    private long seconds;

    @Option(names = "--repetitions", defaultValue = "3", description = "Of each experiment.")
    private int repetitions;

    @Option(
            names = "--set",
            description = {
                "A setting of the application, NAME=VALUE; may be repeated.",
                "With one that begins with blobshuffle., the application shuffles through blobs."
            })
    private @Nullable Map<String, String> settings;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        try {
            BenchWorkload workload = Workloads.named(workloadName);
            // The load generator sends until it is ended.
            Parameters parameters = Parameters.defaults()
                    .with("rate", "1")
                    .with("partitions", "40")
                    .with("seconds", Long.toString(2 * seconds));
            Map<String, String> given = settings == null ? Map.of() : new TreeMap<>(settings);
            TheodoliteResources resources = new TheodoliteResources(
                    workload,
                    new TheodoliteResources.Brokers(bootstrapServers, kafkaCluster),
                    new TheodolitePods(
                            image,
                            limitCpu,
                            limitMemory,
                            Optional.ofNullable(serviceAccount),
                            Optional.ofNullable(secret)));
            TheodoliteResources.Plan plan = new TheodoliteResources.Plan(loads, instances, seconds, repetitions);
            spec.commandLine().getOut().print(Json.write(resources.asJson(parameters, given, plan)));
            spec.commandLine().getOut().flush();
            return 0;
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }
}
