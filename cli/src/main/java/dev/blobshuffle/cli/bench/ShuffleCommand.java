package dev.blobshuffle.cli.bench;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.kafkaembedded.KafkaProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.utils.AppInfoParser;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench shuffle}: the minimal shuffle benchmark of the BlobShuffle paper (section 5.1), native against blobs, each process's CPU time from the
 * operating system. Brokers and instances are processes of their own; runs of the variants follow each other in seeded random order; every run's output is checked.
 */
@Command(
        name = "shuffle",
        description = "Throughput and CPU time of a shuffle, native against blobs.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class ShuffleCommand implements Callable<Integer> {
    private static final double BYTES_PER_GIB = 1 << 30;

    @Option(
            names = "--variants",
            split = ",",
            defaultValue = "native,native-tuned,blobs-memory,blobs-file",
            description = "What to compare.")
    private List<String> variantNames;

    @Option(
            names = "--replication",
            split = ",",
            defaultValue = "1,3",
            description = "Replication factors; each has as many brokers.")
    private List<Integer> replications;

    @Option(names = "--repetitions", defaultValue = "3", description = "Runs of each variant.")
    private int repetitions;

    @Option(names = "--gib", defaultValue = "1.0", description = "GiB that each run measures.")
    private double gibibytes;

    @Option(names = "--warm-up-gib", defaultValue = "0.5", description = "GiB before that.")
    private double warmUpGibibytes;

    @Option(names = "--record-bytes", defaultValue = "1024", description = "Bytes of a record's value.")
    private int recordBytes;

    @Option(names = "--instances", defaultValue = "2", description = "Processes of the application.")
    private int instances;

    @Option(names = "--threads", defaultValue = "1", description = "Stream threads of each.")
    private int threads;

    @Option(
            names = "--partitions",
            defaultValue = "4",
            description = "Partitions of the input; the shuffle has twice as many.")
    private int partitions;

    @Option(names = "--guarantee", defaultValue = "at_least_once", description = "Kafka Streams' processing.guarantee.")
    private String guarantee;

    @Option(names = "--commit-interval-ms", defaultValue = "5000", description = "Kafka Streams' commit.interval.ms.")
    private long commitIntervalMillis;

    @Option(
            names = "--set",
            description = "A setting of the application in every variant, NAME=VALUE; may be repeated.")
    private @Nullable Map<String, String> extra;

    @Option(names = "--set-blobs", description = "A setting of the variants with blobs, NAME=VALUE; may be repeated.")
    private @Nullable Map<String, String> blobExtra;

    @Option(names = "--jvm", description = "A JVM option of the application; may be repeated.")
    private @Nullable List<String> jvmOptions;

    @Option(
            names = "--output",
            description = "Write every shuffled record to an output topic too, as the paper's benchmark does.")
    private boolean hasOutput;

    @Option(names = "--seed", defaultValue = "1", description = "Seed of the values and of the order of runs.")
    private long seed;

    @Option(
            names = "--memory",
            defaultValue = "/dev/shm",
            description = "Directory on a memory file system, for the blobs of blobs-memory.")
    private Path memory;

    @Option(
            names = "--directory",
            description =
                    "Directory for the brokers' data and the blobs of blobs-file; default: the system's temporary one.")
    private @Nullable Path directory;

    @Option(names = "--json", description = "File for all numbers as JSON.")
    private @Nullable Path json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        List<Variant> variants = checkedVariants();
        PrintWriter out = spec.commandLine().getOut();
        Path base = directory != null ? directory : Path.of(System.getProperty("java.io.tmpdir"));
        Path files = Files.createTempDirectory(Files.createDirectories(base), "blobshuffle-bench");
        Path memoryFiles = Files.createTempDirectory(memory, "blobshuffle-bench");
        Thread cleaning = new Thread(() -> clean(files, memoryFiles), "clean-up");
        Runtime.getRuntime().addShutdownHook(cleaning);
        List<ShuffleReport> reports = new ArrayList<>();
        try {
            ShufflePlan plan = plan(files, memoryFiles);
            for (int replication : replications) {
                ShuffleReport report = compare(plan, variants, replication, out);
                reports.add(report);
                out.println();
                out.println(report.table());
                out.flush();
            }
        } finally {
            Runtime.getRuntime().removeShutdownHook(cleaning);
            clean(files, memoryFiles);
        }
        if (json != null) {
            Files.writeString(json, Json.write(asJson(reports)));
        }
        boolean isVerified = reports.stream().allMatch(ShuffleReport::isVerified);
        out.println(
                isVerified
                        ? "Every run shuffled exactly its input."
                        : "WRONG: a run lost, doubled or changed records.");
        out.flush();
        return isVerified ? 0 : 1;
    }

    private List<Variant> checkedVariants() {
        if (!Files.isDirectory(Path.of("/proc/self/task"))) {
            throw invalid("Cannot measure: CPU time comes from Linux's /proc, and there is none. Run it on Linux.");
        }
        if (!Files.isDirectory(memory)) {
            throw invalid("Cannot put blobs into memory: " + memory
                    + " is no directory. Give --memory one on a memory file system.");
        }
        try {
            plan(memory, memory);
            return variantNames.stream().map(ShuffleCommand::variant).toList();
        } catch (IllegalArgumentException e) {
            throw invalid(e.getMessage());
        }
    }

    private CommandLine.ParameterException invalid(@Nullable String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }

    private static Variant variant(String name) {
        for (Variant variant : Variant.values()) {
            if (variant.label().equals(name)) {
                return variant;
            }
        }
        throw new IllegalArgumentException("Cannot compare " + name
                + ": there is no such variant. Give some of native, native-tuned, blobs-memory, blobs-file.");
    }

    private ShufflePlan plan(Path files, Path memoryFiles) {
        return new ShufflePlan(
                instances,
                threads,
                partitions,
                recordBytes,
                Math.round(warmUpGibibytes * BYTES_PER_GIB / recordBytes),
                Math.round(gibibytes * BYTES_PER_GIB / recordBytes),
                guarantee,
                commitIntervalMillis,
                properties(extra),
                properties(blobExtra),
                hasOutput,
                Optional.ofNullable(jvmOptions).orElse(List.of()),
                files,
                memoryFiles);
    }

    private static Properties properties(@Nullable Map<String, String> given) {
        Properties properties = new Properties();
        if (given != null) {
            properties.putAll(given);
        }
        return properties;
    }

    private ShuffleReport compare(ShufflePlan plan, List<Variant> variants, int replication, PrintWriter out)
            throws IOException, InterruptedException, ExecutionException {
        progress(out, "Replication " + replication + ": starting " + replication + " broker(s)");
        try (KafkaProcess kafka = KafkaProcess.builder()
                .brokers(replication)
                .replicationFactor(replication)
                .heapMebibytes(1024)
                .jvmFlags("-XX:-UseDynamicNumberOfCompilerThreads")
                .property("log.segment.delete.delay.ms", 100)
                .dataDirectory(plan.directory().resolve("brokers-" + replication))
                .start()) {
            progress(out, "Writing " + plan.records() + " records of " + recordBytes + " bytes");
            ShuffleInput input =
                    ShuffleInput.write(kafka.bootstrapServers(), partitions, plan.records(), recordBytes, seed);
            ShuffleRun run = new ShuffleRun(kafka, input, plan);
            List<RunResult> results = new ArrayList<>();
            Random order = new Random(seed);
            for (int repetition = 0; repetition < repetitions; repetition++) {
                List<Variant> block = new ArrayList<>(variants);
                Collections.shuffle(block, order);
                for (Variant variant : block) {
                    RunResult result = run.run(variant, repetition);
                    results.add(result);
                    progress(
                            out,
                            String.format(
                                    Locale.ROOT,
                                    "  %d/%d %-13s %6.1f krec/s, CPU-s/GiB: application %.2f, brokers %.2f, compilers %.2f%s",
                                    repetition + 1,
                                    repetitions,
                                    variant.label(),
                                    result.recordsPerSecond() / 1000,
                                    result.applicationCpu(),
                                    result.brokerCpu(),
                                    result.compilerCpu(),
                                    result.verified() ? "" : "  WRONG OUTPUT"));
                }
            }
            return new ShuffleReport(replication, variants, results);
        }
    }

    private static void progress(PrintWriter out, String line) {
        out.println(line);
        out.flush();
    }

    private Map<String, Object> asJson(List<ShuffleReport> reports) {
        Map<String, Object> all = new LinkedHashMap<>();
        Map<String, Object> environment = new LinkedHashMap<>();
        environment.put("processors", Runtime.getRuntime().availableProcessors());
        environment.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.version"));
        environment.put("kafka", AppInfoParser.getVersion());
        all.put("environment", environment);
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("gibibytes", gibibytes);
        parameters.put("warm_up_gibibytes", warmUpGibibytes);
        parameters.put("record_bytes", recordBytes);
        parameters.put("instances", instances);
        parameters.put("threads", threads);
        parameters.put("partitions", partitions);
        parameters.put("guarantee", guarantee);
        parameters.put("commit_interval_ms", commitIntervalMillis);
        parameters.put("output", hasOutput);
        parameters.put("seed", seed);
        parameters.put("settings", properties(extra));
        parameters.put("settings_blobs", properties(blobExtra));
        all.put("parameters", parameters);
        all.put("clusters", reports.stream().map(ShuffleReport::asJson).toList());
        return all;
    }

    private static void clean(Path files, Path memoryFiles) {
        try {
            ShuffleRun.delete(memoryFiles);
            ShuffleRun.delete(files);
        } catch (IOException e) {
            System.err.println("Cannot delete " + files + " or " + memoryFiles + ": " + e + ". Delete them yourself.");
        }
    }
}
