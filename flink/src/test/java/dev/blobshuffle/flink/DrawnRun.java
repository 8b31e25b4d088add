package dev.blobshuffle.flink;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.FileUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of a drawn job through blobs: it fails, stops and goes on from a savepoint or checkpoint,
 * each time with other settings, another parallelism and other zones. Owned by one test.
 */
final class DrawnRun {
    private static final Logger LOG = LoggerFactory.getLogger(DrawnRun.class);
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final double FAST = 1e9;

    private final MiniCluster cluster;
    private final Path directory;
    private final long seed;
    private final Random random;

    /** What does not change, as the state depends on it. */
    private final Map<String, String> kept = new HashMap<>();

    private final StringBuilder way = new StringBuilder();

    /** A run that keeps its files in an empty directory. */
    DrawnRun(MiniCluster cluster, Path directory, long seed) {
        this.cluster = cluster;
        this.directory = directory;
        this.seed = seed;
        random = new Random(seed * 31);
        kept.put("state.backend.type", random.nextInt(3) == 0 ? "rocksdb" : "hashmap");
        kept.put("execution.checkpointing.incremental", String.valueOf(random.nextBoolean()));
        kept.put("pipeline.operator-chaining.enabled", String.valueOf(random.nextInt(4) > 0));
        kept.put("pipeline.max-parallelism", random.nextBoolean() ? "128" : "7");
        kept.put("blobshuffle.store", "file://" + store() + "?fsync=none");
        kept.put(
                "execution.checkpointing.dir",
                directory.resolve("checkpoints").toUri().toString());
        kept.put("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
        kept.put("restart-strategy.type", "fixed-delay");
        kept.put("restart-strategy.fixed-delay.attempts", "3");
        kept.put("restart-strategy.fixed-delay.delay", "50 ms");
    }

    private Path store() {
        return directory.resolve("store");
    }

    /** What the run does. */
    @Override
    public String toString() {
        return way.toString();
    }

    /** Runs the job natively to its end. Returns what it does. */
    static String natively(MiniCluster cluster, long seed) throws Exception {
        StreamExecutionEnvironment environment = environment(cluster, Map.of(), 2);
        String steps = DrawnJob.build(environment, seed, DrawnJob.Exchange.NATIVE, FAST);
        environment.execute("native " + seed);
        return steps;
    }

    /** Runs the job to its end, with so many stops on the way. */
    void run(int stops) throws Exception {
        Optional<String> from = Optional.empty();
        for (int stop = 0; stop < stops; stop++) {
            JobClient job = start(from, random.nextInt(2), 50 + random.nextInt(400), "100 ms");
            Optional<String> stopped = stop(job);
            if (stopped.isEmpty()) {
                way.append(" which ended;");
                return;
            }
            from = stopped;
        }
        int failures = random.nextInt(3);
        start(from, failures, failures > 0 ? 2_500 : FAST, failures > 0 ? "100 ms" : "1 s")
                .getJobExecutionResult()
                .get();
    }

    private JobClient start(Optional<String> from, int failures, double rate, String interval) throws Exception {
        Map<String, String> settings = DrawnJob.settings(random);
        settings.putAll(kept);
        settings.put("execution.checkpointing.interval", interval);
        from.ifPresent(path -> {
            settings.put("execution.state-recovery.path", path);
            settings.put("execution.state-recovery.claim-mode", random.nextBoolean() ? "CLAIM" : "NO_CLAIM");
        });
        DrawnJob.Exchange exchange = DrawnJob.Exchange.values()[1 + random.nextInt(3)];
        if (exchange != DrawnJob.Exchange.BLOBS) {
            settings.put("blobshuffle.native.in.zone", "true");
        }
        int parallelism = 1 + random.nextInt(4);
        way.append(" parallelism " + parallelism + " by " + exchange + " with " + failures + " failures;");
        DrawnResults.begin(failures);
        StreamExecutionEnvironment environment = environment(cluster, settings, parallelism);
        String ignored = DrawnJob.build(environment, seed, exchange, rate);
        return environment.executeAsync("blobs " + seed);
    }

    private static StreamExecutionEnvironment environment(
            MiniCluster cluster, Map<String, String> settings, int parallelism) throws Exception {
        Configuration configuration = new Configuration();
        settings.forEach(configuration::setString);
        var address = cluster.getRestAddress().get();
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createRemoteEnvironment(address.getHost(), address.getPort(), configuration);
        environment.setParallelism(parallelism);
        return environment;
    }

    /** Stops a job after some checkpoints. Returns where it goes on, or empty if it has ended. */
    private Optional<String> stop(JobClient job) throws Exception {
        int checkpoints = 1 + random.nextInt(3);
        int kind = random.nextInt(4);
        SavepointFormatType format = random.nextBoolean() ? SavepointFormatType.CANONICAL : SavepointFormatType.NATIVE;
        boolean dropsBlobs = random.nextBoolean();
        await().atMost(LONG).until(() -> DrawnResults.completedCheckpoints() >= checkpoints || hasEnded(job));
        if (kind > 1) {
            way.append(" cancel;");
            cancel(job);
            return status(job) == JobStatus.FINISHED ? Optional.empty() : newest(job);
        }
        way.append(kind == 0 ? " stop with" : " cancel after").append(" a " + format + " savepoint;");
        Optional<String> savepoint = savepoint(
                job,
                kind == 0
                        ? () -> job.stopWithSavepoint(false, savepoints(), format)
                        : () -> job.triggerSavepoint(savepoints(), format));
        if (kind == 0 && savepoint.isPresent()) {
            await().atMost(LONG).until(() -> hasEnded(job));
        } else {
            cancel(job);
        }
        if (savepoint.isPresent() && dropsBlobs) {
            way.append(" delete all blobs;");
            FileUtils.deleteDirectory(store().toFile());
        }
        return savepoint;
    }

    private String savepoints() {
        return directory.resolve("savepoints").toUri().toString();
    }

    /** Takes a savepoint, again if the job fails meanwhile. Empty if the job ends before. */
    private static Optional<String> savepoint(JobClient job, Supplier<CompletableFuture<String>> call) {
        AtomicReference<String> path = new AtomicReference<>();
        await().atMost(LONG).until(() -> {
            try {
                path.set(call.get().get());
            } catch (ExecutionException e) {
                LOG.info("No savepoint now: {}", e.toString());
            }
            return path.get() != null || hasEnded(job);
        });
        return Optional.ofNullable(path.get());
    }

    /** Cancels a job, and waits for its end. */
    private static void cancel(JobClient job) {
        await().atMost(LONG).until(() -> {
            if (!hasEnded(job)) {
                job.cancel().exceptionally(failure -> null).get();
            }
            return hasEnded(job);
        });
    }

    private static boolean hasEnded(JobClient job) throws Exception {
        return status(job).isGloballyTerminalState();
    }

    private static JobStatus status(JobClient job) throws Exception {
        return job.getJobStatus().get();
    }

    /** The newest complete checkpoint of a job. */
    private Optional<String> newest(JobClient job) throws IOException {
        Path own = directory.resolve("checkpoints").resolve(job.getJobID().toString());
        try (Stream<Path> all = Files.list(own)) {
            return all.filter(path -> Files.exists(path.resolve("_metadata")))
                    .max(Comparator.comparingInt(path ->
                            Integer.parseInt(path.getFileName().toString().substring("chk-".length()))))
                    .map(path -> path.toUri().toString());
        }
    }
}
