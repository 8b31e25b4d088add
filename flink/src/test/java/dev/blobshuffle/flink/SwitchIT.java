package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.flink.internal.instance.TaskInstances;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job goes over to blobs and back with its state. */
@Tag("nightly")
class SwitchIT {
    private static final long COUNT = 40_000;

    @TempDir
    private Path directory;

    private String savepoint = "";

    @BeforeEach
    void reset() {
        KeyedJob.reset();
    }

    @Test
    void aJobGoesOverToBlobsAndBack() throws Exception {
        stop(job().natively());
        stop(job());
        assertThatThrownBy(() -> job().natively().run(0))
                .as("it would lose what was pending")
                .hasStackTraceContaining("allowNonRestoredState");
        stop(job().zones(taskManager -> "one"));
        KeyedJob last = job().natively()
                .set("execution.state-recovery.ignore-unclaimed-state", "true")
                .rate(1_000_000);

        last.run(0);

        assertThat(KeyedJob.lateRecords()).isZero();
        assertThat(KeyedJob.outOfOrder()).isZero();
        assertThat(KeyedJob.results()).isEqualTo(last.expected());
    }

    private KeyedJob job() {
        KeyedJob job = new KeyedJob(directory, COUNT).rate(2_000);
        return savepoint.isEmpty() ? job : job.set("execution.state-recovery.path", savepoint);
    }

    private void stop(KeyedJob job) throws Exception {
        JobClient client = job.start();
        await().atMost(Duration.ofMinutes(3))
                .failFast("the job has ended", client.getJobExecutionResult()::isDone)
                .until(() -> KeyedJob.completedCheckpoints() >= 3);
        savepoint = client.stopWithSavepoint(
                        false, directory.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
                .get();
        await().atMost(Duration.ofMinutes(1)).until(() -> TaskInstances.count() == 0);
    }
}
