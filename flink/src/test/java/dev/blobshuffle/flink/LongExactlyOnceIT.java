package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.flink.internal.instance.TaskInstances;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same with more failures, both kinds of checkpoints, and other parallelisms. */
@Tag("nightly")
class LongExactlyOnceIT {
    private static final long COUNT = 300_000;

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

    /** Batches below the bound go as records beside the references. */
    @ParameterizedTest
    @CsvSource({
        "false, false, 0",
        "true, false, 0",
        "false, true, 0",
        "true, true, 0",
        "false, false, 60 KiB",
        "true, false, 60 KiB"
    })
    void nothingIsLostOrDoubledByFailures(boolean isUnaligned, boolean reusesObjects, String inline) throws Exception {
        KeyedJob job = new KeyedJob(directory, COUNT)
                .rate(30_000)
                .set("execution.checkpointing.unaligned.enabled", String.valueOf(isUnaligned))
                .set("pipeline.object-reuse", String.valueOf(reusesObjects))
                .set("blobshuffle.inline.max.bytes", inline);

        job.run(5);

        assertThat(KeyedJob.failures()).isEqualTo(5);
        assertExact(job);
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void savepointsRestoreAtOtherParallelismsWithoutTheirBlobs(boolean isUnaligned) throws Exception {
        KeyedJob job = new KeyedJob(directory, COUNT)
                .rate(20_000)
                .set("execution.checkpointing.unaligned.enabled", String.valueOf(isUnaligned));

        job.set("execution.state-recovery.path", stop(job.parallelism(2).start()));
        job.set("execution.state-recovery.path", stop(job.parallelism(3).start()));
        job.parallelism(1).run(1);

        assertThat(KeyedJob.failures()).isEqualTo(1);
        assertExact(job);
    }

    /** The places differ with each restore, and so does what goes natively. */
    @ParameterizedTest
    @CsvSource({"false", "true"})
    void jobsInSeveralZonesRestoreAtOtherParallelisms(boolean isUnaligned) throws Exception {
        KeyedJob job = new KeyedJob(directory, COUNT)
                .rate(20_000)
                .zones(taskManager -> taskManager)
                .set("taskmanager.numberOfTaskSlots", "1")
                .set("minicluster.number-of-taskmanagers", "3")
                .set("execution.checkpointing.unaligned.enabled", String.valueOf(isUnaligned));

        job.set("execution.state-recovery.path", stop(job.parallelism(2).start()));
        job.set("execution.state-recovery.path", stop(job.parallelism(3).start()));
        job.parallelism(2).run(3);

        assertExact(job);
        assertThat(FlowReporter.nativeBytes()).isPositive();
        assertThat(FlowReporter.blobBytes()).isPositive();
    }

    /** Another subtask may emit what was on the way, so the order of a key may change there. */
    @ParameterizedTest
    @CsvSource({"false", "true"})
    void putsAfterTheBarrierRestoreAtOtherParallelisms(boolean isUnaligned) throws Exception {
        KeyedJob job = new KeyedJob(directory, COUNT)
                .rate(20_000)
                .faulty()
                .set("blobshuffle.put.after.barrier", "true")
                .set("execution.checkpointing.unaligned.enabled", String.valueOf(isUnaligned));
        FaultyStores.slow(Duration.ofMillis(200), Duration.ofMillis(50));

        job.set("execution.state-recovery.path", stop(job.parallelism(2).start()));
        job.set("execution.state-recovery.path", stop(job.parallelism(3).start()));
        job.parallelism(1).run(2);

        assertThat(KeyedJob.lateRecords()).isZero();
        assertThat(KeyedJob.results()).isEqualTo(job.expected());
    }

    /** Records that a slow reader has not taken stay in the store, so memory stays bounded. */
    @Test
    void aSlowReaderHoldsUpTheWriter() throws Exception {
        KeyedJob job = new KeyedJob(directory, COUNT)
                .set("blobshuffle.pending.max.bytes", "1")
                .set("execution.checkpointing.unaligned.enabled", "true");

        job.run(2);

        assertExact(job);
    }

    private static void assertExact(KeyedJob job) {
        assertThat(KeyedJob.lateRecords()).isZero();
        assertThat(KeyedJob.outOfOrder()).isZero();
        assertThat(KeyedJob.results()).isEqualTo(job.expected());
    }

    private String stop(JobClient client) throws Exception {
        await().atMost(Duration.ofMinutes(3)).until(() -> KeyedJob.completedCheckpoints() >= 3);
        String savepoint = client.stopWithSavepoint(
                        false, directory.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
                .get();
        await().atMost(Duration.ofMinutes(1)).until(() -> TaskInstances.count() == 0);
        assertThat(deleteBlobs()).isPositive();
        return savepoint;
    }

    private int deleteBlobs() throws IOException {
        int deleted = 0;
        try (Stream<Path> files = Files.walk(directory.resolve("store"))) {
            for (Path blob :
                    files.filter(file -> file.toString().endsWith(".blob")).toList()) {
                Files.delete(blob);
                deleted++;
            }
        }
        return deleted;
    }
}
