package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.flink.internal.instance.TaskInstances;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The blobs of a job outlive it, for its checkpoints may be restored. Forgetting the job deletes
 * them all, and no other ones.
 */
class JobEndIT {
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final long COUNT = 40_000;
    private static final Duration HOURS = Duration.ofHours(6);

    @TempDir
    private Path directory;

    /** How a job may end before its input does. */
    private enum End {
        CANCELED,
        FAILED
    }

    @BeforeEach
    void begin() {
        KeyedJob.reset();
    }

    @Test
    void aFinishedJobLeavesNothingWhenItIsForgotten() throws Exception {
        KeyedJob job = job();
        job.run(1);
        assertThat(KeyedJob.results()).isEqualTo(job.expected());
        awaitEnd();

        try (ForgottenJobs jobs = jobs()) {
            int owner = jobs.owners().iterator().next();
            assertThatThrownBy(() -> jobs.forget(owner, HOURS))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("may still run");
            assertThat(jobs.blobs(owner)).isPositive();

            assertThat(jobs.forget(owner, Duration.ZERO)).isPositive();
            assertThat(blobs()).isEmpty();
        }
    }

    /** Nothing else deletes the blobs that the retained checkpoint needs. */
    @ParameterizedTest
    @EnumSource
    void aRetainedCheckpointIsRestoredAndThenBothJobsAreForgotten(End end) throws Exception {
        KeyedJob job = job().faulty();
        Path checkpoint = end(job, end);

        job.set("execution.state-recovery.path", checkpoint.toUri().toString()).rate(1_000_000);
        job.start().getJobExecutionResult().get();

        assertThat(KeyedJob.lateRecords()).isZero();
        assertThat(KeyedJob.results()).isEqualTo(job.expected());
        awaitEnd();
        forgetAll(2);
    }

    @Test
    void aCheckpointWhoseBlobsAreGoneNamesItselfAndTheRemedy() throws Exception {
        KeyedJob job = job().faulty();
        Path checkpoint = end(job, End.CANCELED);
        forgetAll(1);

        JobClient client = job.set(
                        "execution.state-recovery.path", checkpoint.toUri().toString())
                .set("restart-strategy.type", "none")
                .start();

        assertThatThrownBy(() -> client.getJobExecutionResult().get())
                .extracting(ExceptionUtils::stringifyException)
                .asString()
                .contains(
                        "Cannot read blob",
                        "The job was restored from checkpoint "
                                + checkpoint.getFileName().toString().substring("chk-".length()),
                        "restore a newer checkpoint, or a savepoint");
        awaitEnd();
    }

    private KeyedJob job() {
        return new KeyedJob(directory, COUNT)
                .rate(4_000)
                .set("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
    }

    /** Ends a job while its newest checkpoint refers to blobs. Returns that checkpoint. */
    private Path end(KeyedJob job, End end) throws Exception {
        if (end == End.FAILED) {
            job.set("restart-strategy.type", "none");
        }
        JobClient client = job.start();
        CompletableFuture<JobExecutionResult> result = client.getJobExecutionResult();
        await().atMost(LONG).until(() -> KeyedJob.completedCheckpoints() >= 1);
        FaultyStores.slow(Duration.ZERO, Duration.ofHours(1)); // References stay pending.
        long before = KeyedJob.completedCheckpoints();
        await().atMost(LONG).until(() -> KeyedJob.completedCheckpoints() >= before + 3);
        if (end == End.FAILED) {
            KeyedJob.failNow();
        } else {
            client.cancel().get();
        }
        await().atMost(LONG).until(result::isDone);
        awaitEnd();
        FaultyStores.reset();
        return newest();
    }

    private Path newest() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("checkpoints"))) {
            return files.filter(file -> file.endsWith("_metadata"))
                    .map(Path::getParent)
                    .max(Comparator.comparingInt(path ->
                            Integer.parseInt(path.getFileName().toString().substring("chk-".length()))))
                    .orElseThrow();
        }
    }

    private static void awaitEnd() {
        await().atMost(LONG).until(() -> TaskInstances.count() == 0);
    }

    private void forgetAll(int expected) throws Exception {
        try (ForgottenJobs jobs = jobs()) {
            assertThat(jobs.owners().stream().filter(owner -> jobs.blobs(owner) > 0))
                    .hasSize(expected);
            for (int owner : jobs.owners()) {
                long ignored = jobs.forget(owner, Duration.ZERO);
            }
        }
        assertThat(blobs()).isEmpty();
    }

    private ForgottenJobs jobs() {
        return new ForgottenJobs(directory.resolve("store").toUri() + "?fsync=none");
    }

    /** Blobs with an owner: those without one check that the store works. */
    private List<Path> blobs() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("store"))) {
            return files.filter(file -> file.toString().matches(".*/blobs/[0-9a-f]{6}/.*[.]blob"))
                    .toList();
        }
    }
}
