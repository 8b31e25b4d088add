package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.testkit.internal.servers.VersityGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * JobManager and TaskManagers are processes, which are killed. Blobs are in an S3 server, and state
 * is in RocksDB with incremental checkpoints. Results are those of {@code keyBy}.
 */
class KilledProcessesIT {
    private static final Duration LONG = Duration.ofMinutes(5);

    private static final long COUNT = 60_000;

    /** Records per second, so few that the job lasts longer than all that a test does meanwhile. */
    private static final long SLOW = 200;

    private static final long FAST = 1_000_000;

    @TempDir
    private Path directory;

    private VersityGateway server;
    private String store;

    @BeforeEach
    void begin() {
        KeyedJob.reset();
        server = VersityGateway.shared();
        String bucket = "flink-" + UUID.randomUUID();
        server.makeBucket(bucket);
        store = "s3://" + bucket + "/it?region=us-east-1&path-style=true&endpoint=" + server.endpoint();
    }

    /** One TaskManager, then everything. */
    @Test
    void killedProcessesLoseAndDoubleNothing() throws Exception {
        KeyedJob job = job();
        try (FlinkCluster cluster = new FlinkCluster(directory)) {
            cluster.startTaskManager("a", 1);
            cluster.startTaskManager("b", 1);
            cluster.startTaskManager("c", 1);
            JobClient client = job.start(cluster);
            awaitCheckpoints(client, 1);
            cluster.killTaskManager("a");
            awaitCheckpoints(client, 1);

            cluster.killAll();
            cluster.startJobManager();
            cluster.startTaskManager("d", 3);
            restore(job.rate(FAST).parallelism(3), cluster)
                    .getJobExecutionResult()
                    .get();

            assertExact(job, cluster);
        }
        forgetAll();
    }

    /** No JobManager is left that deletes blobs, of the job that was killed or of the other one. */
    private void forgetAll() throws Exception {
        long forgotten = 0;
        System.setProperty("aws.accessKeyId", VersityGateway.ACCESS_KEY);
        System.setProperty("aws.secretAccessKey", VersityGateway.SECRET_KEY);
        try (ForgottenJobs jobs = new ForgottenJobs(store)) {
            for (int owner : jobs.owners()) {
                forgotten += jobs.forget(owner, Duration.ZERO);
                assertThat(jobs.blobs(owner)).isZero();
            }
        } finally {
            System.clearProperty("aws.accessKeyId");
            System.clearProperty("aws.secretAccessKey");
        }
        assertThat(forgotten).isPositive();
    }

    @ParameterizedTest
    @Tag("nightly")
    @CsvSource({"false, false, false", "true, false, true", "false, true, true", "true, true, false"})
    void processesMayBeKilledAgainAndAgain(boolean isUnaligned, boolean hasChangelog, boolean putsAfterBarrier)
            throws Exception {
        KeyedJob job = job().set("execution.checkpointing.unaligned.enabled", String.valueOf(isUnaligned))
                .set("state.changelog.enabled", String.valueOf(hasChangelog))
                .set("state.changelog.storage", "filesystem")
                .set("state.changelog.periodic-materialize.interval", "2 s")
                .set("dstl.dfs.base-path", directory.resolve("changes").toUri().toString())
                .set("blobshuffle.put.after.barrier", String.valueOf(putsAfterBarrier));
        try (FlinkCluster cluster = new FlinkCluster(
                directory,
                "state.changelog.storage: filesystem",
                "dstl.dfs.base-path: " + directory.resolve("changes").toUri())) {
            cluster.startTaskManager("a", 2);
            cluster.startTaskManager("b", 2);
            JobClient client = job.start(cluster);
            for (int kill = 0; kill < 3; kill++) {
                awaitCheckpoints(client, 2);
                String killed = kill % 2 == 0 ? "a" : "b";
                cluster.killTaskManager(killed);
                cluster.startTaskManager(killed, 2);
            }
            awaitCheckpoints(client, 2);
            cluster.killJobManager();
            cluster.startJobManager();
            client = restore(job.parallelism(3), cluster);
            awaitCheckpoints(client, 2);
            cluster.killTaskManager("a");
            cluster.killJobManager();
            cluster.startJobManager();
            client = restore(job.parallelism(1), cluster);
            awaitCheckpoints(client, 2);

            cluster.killAll();
            cluster.startJobManager();
            cluster.startTaskManager("a", 4);
            restore(job.rate(FAST).parallelism(4), cluster)
                    .getJobExecutionResult()
                    .get();

            if (putsAfterBarrier) {
                assertThat(cluster.findings()).noneMatch(line -> line.startsWith("late"));
                assertThat(KeyedJob.results(cluster.findings())).isEqualTo(job.expected());
            } else {
                assertExact(job, cluster);
            }
        }
    }

    /** It wakes up when others have its work. What it still writes and sends belongs to no job. */
    @Test
    @Tag("nightly")
    void aSuspendedTaskManagerDisturbsNothingWhenItWakesUp() throws Exception {
        KeyedJob job = job();
        try (FlinkCluster cluster = new FlinkCluster(directory, "heartbeat.timeout: 5000")) {
            cluster.startTaskManager("a", 1);
            cluster.startTaskManager("b", 1);
            JobClient client = job.start(cluster);
            awaitCheckpoints(client, 2);
            cluster.suspend("a");
            cluster.startTaskManager("c", 1);
            awaitCheckpoints(client, 2);
            cluster.resume("a");
            awaitCheckpoints(client, 2);

            cluster.killAll();
            cluster.startJobManager();
            cluster.startTaskManager("d", 2);
            restore(job.rate(FAST), cluster).getJobExecutionResult().get();

            assertExact(job, cluster);
        }
    }

    /** Begins again from the newest checkpoint, as another submission. */
    private JobClient restore(KeyedJob job, FlinkCluster cluster) throws Exception {
        job.set("execution.state-recovery.path", newest().orElseThrow().toUri().toString());
        return job.start(cluster);
    }

    private KeyedJob job() {
        return new KeyedJob(directory, COUNT)
                .rate(SLOW)
                .set("blobshuffle.store", store)
                .set("restart-strategy.fixed-delay.attempts", "100000") // While slots are missing too.
                .set("state.backend.type", "rocksdb")
                .set("execution.checkpointing.incremental", "true")
                .set("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION")
                .set("execution.checkpointing.interval", "500 ms");
    }

    /** Waits until so many checkpoints are complete that were not before. */
    private void awaitCheckpoints(JobClient client, int count) throws IOException {
        CompletableFuture<JobExecutionResult> result = client.getJobExecutionResult();
        int before = newest().map(KilledProcessesIT::number).orElse(0);
        await().atMost(LONG)
                .failFast("the job has ended", result::isDone)
                .until(() -> newest().map(KilledProcessesIT::number).orElse(0) >= before + count);
    }

    /** The newest checkpoint that is complete. */
    private Optional<Path> newest() throws IOException {
        Path checkpoints = directory.resolve("checkpoints");
        if (!Files.exists(checkpoints)) {
            return Optional.empty();
        }
        try (Stream<Path> jobs = Files.list(checkpoints)) {
            Optional<Path> newest = Optional.empty();
            for (Path job : jobs.toList()) {
                try (Stream<Path> each = Files.list(job)) {
                    newest = Stream.concat(newest.stream(), each.filter(KilledProcessesIT::isComplete))
                            .max(Comparator.comparing(KilledProcessesIT::number));
                }
            }
            return newest;
        }
    }

    private static boolean isComplete(Path checkpoint) {
        return Files.exists(checkpoint.resolve("_metadata"));
    }

    private static int number(Path checkpoint) {
        return Integer.parseInt(checkpoint.getFileName().toString().substring("chk-".length()));
    }

    private void assertExact(KeyedJob job, FlinkCluster cluster) throws Exception {
        List<String> findings = cluster.findings();
        Map<String, String> results = KeyedJob.results(findings);
        assertThat(findings).allMatch(line -> line.startsWith("result "));
        assertThat(results).isEqualTo(job.expected());
    }
}
