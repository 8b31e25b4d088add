package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.report.Environment;
import dev.blobshuffle.bench.spark.SparkPlan;
import dev.blobshuffle.bench.spark.SparkReport;
import dev.blobshuffle.bench.spark.SparkRunner;
import dev.blobshuffle.bench.spark.SparkSystem;
import dev.blobshuffle.planner.LatencyProfile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench spark}: jobs of Spark SQL, natively and through blobs, in
 * turns. Each job's rows are counted and summed, and compared between the systems.
 */
@Command(
        name = "spark",
        exitCodeList = {"0:each job had the same rows with all systems", "1:one had not, or something failed"},
        description = {
            "CPU time, memory and requests of jobs of Apache Spark: blobs beside Spark's own shuffle.",
            "Installs Spark by pip into a cache directory. Needs the jar of `make dist`."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class SparkBenchCommand implements Callable<Integer> {
    private static final String BUNDLES = "blobshuffle-spark-bundle-*.jar";

    @Option(names = "--spark-version", defaultValue = "4.2.0", description = "A release of Spark on PyPI.")
    private String version;

    @Option(
            names = "--systems",
            split = ",",
            defaultValue = "NATIVE,BLOBS,UPLOADED,SYNC",
            description = "Which to run: ${COMPLETION-CANDIDATES}.")
    private List<SparkSystem> systems;

    @Option(
            names = "--workloads",
            split = ",",
            defaultValue = "repartition,sort,join,rank",
            description = "Jobs of each application.")
    private List<String> workloads;

    @Option(names = "--rows", defaultValue = "5000000", description = "Rows of a job's largest table.")
    private long rows;

    @Option(names = "--maps", defaultValue = "32", description = "Tasks that read this table.")
    private int maps;

    @Option(names = "--partitions", defaultValue = "200", description = "Partitions of a shuffle.")
    private int partitions;

    @Option(names = "--repetitions", defaultValue = "2", description = "Runs of a job, after one to warm up.")
    private int repetitions;

    @Option(names = "--rounds", defaultValue = "3", description = "Applications of each system.")
    private int rounds;

    @Option(
            names = "--store-latency",
            description = "Stores blobs in a simulated S3 over TLS with this latency profile (default: a directory).")
    private @Nullable String latency;

    @Option(names = "--bundle", description = "The jar of `make dist` (default: the one in spark-bundle/target).")
    private @Nullable Path bundle;

    @Option(
            names = "--objects-jar",
            description = "For OBJECTS: the jar of IBM's spark-s3-shuffle, built for this version of Spark.")
    private @Nullable Path objects;

    @Option(
            names = "--limit-seconds",
            defaultValue = "1800",
            description = "An application that takes longer ends the command.")
    private long limitSeconds;

    @Mixin
    private PythonOptions python;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        SparkPlan plan = plan();
        Map<String, Object> environment = Environment.asJson();
        try {
            SparkReport report = new SparkRunner(plan, python.directories(), this::say).run();
            say("");
            say(report.text());
            say(
                    report.isVerified()
                            ? "Each job had the same rows with all systems."
                            : "VOID: a job had other rows than Spark's own.");
            write(report, environment);
            return report.isVerified() ? 0 : 1;
        } catch (IllegalStateException e) {
            spec.commandLine().getErr().println(e.getMessage());
            return 1;
        }
    }

    private SparkPlan plan() throws IOException {
        try {
            return new SparkPlan(
                    version,
                    systems,
                    workloads,
                    rows,
                    maps,
                    partitions,
                    repetitions,
                    rounds,
                    Duration.ofSeconds(limitSeconds),
                    Optional.ofNullable(latency).map(LatencyProfile::named),
                    jars());
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private Map<SparkSystem, Path> jars() throws IOException {
        Map<SparkSystem, Path> jars = new EnumMap<>(SparkSystem.class);
        for (SparkSystem system : systems) {
            if (system == SparkSystem.OBJECTS) {
                jars.put(system, existing(objects, "Give --objects-jar, which Maven Central does not have."));
            } else if (system != SparkSystem.NATIVE) {
                jars.put(system, existing(bundle == null ? built() : bundle, "Run `make dist`, or give --bundle."));
            }
        }
        return jars;
    }

    private @Nullable Path built() throws IOException {
        Path target = python.checkout().resolve("spark-bundle").resolve("target");
        if (!Files.isDirectory(target)) {
            return null;
        }
        try (DirectoryStream<Path> found = Files.newDirectoryStream(target, BUNDLES)) {
            for (Path jar : found) {
                if (!jar.toString().endsWith("-sources.jar")) {
                    return jar;
                }
            }
        }
        return null;
    }

    private static Path existing(@Nullable Path jar, String remedy) {
        if (jar == null || !Files.isRegularFile(jar)) {
            throw new IllegalArgumentException("Cannot run without the plug-in's jar"
                    + (jar == null ? "" : ": there is no " + jar) + ". " + remedy);
        }
        return jar.toAbsolutePath();
    }

    private void write(SparkReport report, Map<String, Object> environment) throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("environment", environment);
        all.putAll(report.asJson());
        python.write(all, report.charts());
    }

    private void say(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }
}
