package dev.blobshuffle.bench.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.bench.process.Directories;
import dev.blobshuffle.bench.process.PythonDirectories;
import dev.blobshuffle.bench.process.PythonEnvironment;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.s3sim.S3SimProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Runs a plan: round by round, the systems in turn, each an application of its own with an empty
 * store. Owned by one thread.
 */
public final class SparkRunner {
    private static final String BUCKET = "bench";
    private static final long STORE_BYTES = 3L << 30;

    private final SparkPlan plan;
    private final PythonDirectories directories;
    private final Consumer<String> say;
    private final ObjectMapper json = new ObjectMapper();
    private final List<SparkResult> results = new ArrayList<>();
    private final List<SparkRequests> requests = new ArrayList<>();

    /**
     * A runner.
     *
     * @param say receives a line for output
     */
    public SparkRunner(SparkPlan plan, PythonDirectories directories, Consumer<String> say) {
        this.plan = plan;
        this.directories = directories;
        this.say = say;
    }

    /**
     * Installs Spark, unless it is, and runs.
     *
     * @throws IllegalStateException if Python, pip or an application fails
     */
    public SparkReport run() throws IOException, InterruptedException {
        say.accept("Spark " + plan.version() + " from PyPI: " + directories.cache() + " (installed once)");
        PythonEnvironment python = PythonEnvironment.of(directories, "spark", "pyspark==" + plan.version() + "\n");
        say.accept("Messages of Spark: " + python.log());
        for (int round = 0; round < plan.rounds(); round++) {
            for (SparkSystem system : plan.systems()) {
                Path directory = Files.createTempDirectory(directories.files(), "spark");
                try {
                    run(python, system, round, directory);
                } finally {
                    Directories.delete(directory);
                }
            }
        }
        return new SparkReport(plan, results, requests);
    }

    private void run(PythonEnvironment python, SparkSystem system, int round, Path directory)
            throws IOException, InterruptedException {
        Optional<LatencyProfile> latency = system.isOurs() ? plan.latency() : Optional.empty();
        if (latency.isEmpty()) {
            Path blobs = Files.createDirectory(directory.resolve("blobs"));
            run(
                    python,
                    system,
                    round,
                    directory,
                    system.settings(
                            plan.jar(system), "file://" + blobs, blobs.toUri().toString()));
            return;
        }
        try (S3SimProcess store = S3SimProcess.tls(BUCKET, STORE_BYTES, latency.get())) {
            String uri = "s3://" + BUCKET + "/run?region=us-east-1&path-style=true&endpoint=" + store.endpoint();
            List<String> settings = system.settings(plan.jar(system), uri, uri);
            String trust = "-Djavax.net.ssl.trustStore=" + store.trustStore().orElseThrow()
                    + " -Djavax.net.ssl.trustStorePassword=" + S3SimProcess.TRUST_STORE_PASSWORD
                    + " -Daws.accessKeyId=bench -Daws.secretAccessKey=bench";
            settings.add("spark.driver.extraJavaOptions=" + trust);
            settings.add("spark.executor.extraJavaOptions=" + trust);
            run(python, system, round, directory, settings);
            SparkRequests asked = SparkRequests.of(system, round, store.counts());
            requests.add(asked);
            say.accept(asked.line());
        }
    }

    private void run(PythonEnvironment python, SparkSystem system, int round, Path directory, List<String> settings)
            throws IOException, InterruptedException {
        Path local = Files.createDirectory(directory.resolve("local"));
        List<String> arguments = new ArrayList<>(List.of(
                "--workloads",
                String.join(",", plan.workloads()),
                "--rows",
                Long.toString(plan.rows()),
                "--maps",
                Integer.toString(plan.maps()),
                "--partitions",
                Integer.toString(plan.partitions()),
                "--repetitions",
                Integer.toString(plan.repetitions()),
                "--limit",
                Long.toString(plan.limit().toSeconds()),
                "--directory",
                local.toString()));
        settings.forEach(setting -> arguments.addAll(List.of("--conf", setting)));
        python.lines("measure.py", arguments, line -> add(system, round, line));
    }

    private void add(SparkSystem system, int round, String line) {
        try {
            SparkResult result = SparkResult.of(system, round, json.readTree(line));
            results.add(result);
            say.accept(result.line());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Cannot read what measure.py printed: " + line, e);
        }
    }
}
