package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.flink.internal.instance.TaskInstances;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A checkpoint waits for the puts of the records before its barrier, and the tasks go on. */
@Tag("nightly")
class PutAfterBarrierIT {
    private static final long COUNT = 40_000;

    @TempDir
    private Path directory;

    @BeforeEach
    void reset() {
        KeyedJob.reset();
    }

    @AfterEach
    void nothingStaysOpen() {
        assertThat(TaskInstances.count()).as("instances that stay open").isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingIsLostOrDoubledByFailures(boolean isUnaligned) throws Exception {
        KeyedJob job = job().set("execution.checkpointing.unaligned.enabled", String.valueOf(isUnaligned));
        FaultyStores.slow(Duration.ofMillis(300), Duration.ZERO);

        job.run(2);

        assertThat(KeyedJob.failures()).isEqualTo(2);
        assertExact(job);
    }

    /** The checkpoint that waits for a put is complete when an attempt succeeds. */
    @Test
    void aPutThatFailsForAWhileFailsNoTask() throws Exception {
        KeyedJob job = job().rate(4_000).set("restart-strategy.type", "none");
        JobClient client = job.start();
        awaitCheckpoints(client);

        FaultyStores.failPuts(true);
        await().atMost(Duration.ofMinutes(3)).until(() -> FaultyStores.failedPuts() >= 4);
        FaultyStores.failPuts(false);
        client.getJobExecutionResult().get();

        assertExact(job);
    }

    /** The checkpoint is declined, the task fails, and the job begins again. */
    @Test
    void aPutThatIsGivenUpLosesNothing() throws Exception {
        KeyedJob job = job().rate(4_000)
                .set("blobshuffle.delivery.timeout.ms", "1000")
                .set("restart-strategy.fixed-delay.attempts", "1000");
        JobClient client = job.start();
        awaitCheckpoints(client);

        FaultyStores.failPuts(true);
        await().atMost(Duration.ofMinutes(3)).until(() -> KeyedJob.endedTasks() > 0);
        FaultyStores.failPuts(false);
        client.getJobExecutionResult().get();

        assertExact(job);
    }

    private KeyedJob job() {
        return new KeyedJob(directory, COUNT)
                .rate(12_000)
                .faulty()
                .set("restart-strategy.fixed-delay.attempts", "20")
                .set("blobshuffle.put.after.barrier", "true");
    }

    private static void awaitCheckpoints(JobClient client) {
        CompletableFuture<JobExecutionResult> result = client.getJobExecutionResult();
        await().atMost(Duration.ofMinutes(3))
                .failFast("the job has ended", result::isDone)
                .until(() -> KeyedJob.completedCheckpoints() >= 2);
    }

    private static void assertExact(KeyedJob job) {
        assertThat(KeyedJob.lateRecords()).isZero();
        assertThat(KeyedJob.outOfOrder()).isZero();
        assertThat(KeyedJob.results()).isEqualTo(job.expected());
    }
}
