package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.flink.internal.instance.TaskInstances;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job that stops with a savepoint hands out nothing that the savepoint holds. */
class StopIT {
    private static final long COUNT = 20_000;

    /** Records per second, so few that the job does not end before it is stopped. */
    private static final long SLOW = 1_000;

    @TempDir
    private Path directory;

    @BeforeEach
    void reset() {
        KeyedJob.reset();
    }

    /** Reads and puts are slow, so both operators have records when the savepoint is taken. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noRecordLeavesTwice(boolean putsAfterBarrier) throws Exception {
        KeyedJob job = new KeyedJob(directory, COUNT)
                .rate(SLOW)
                .faulty()
                .set("blobshuffle.put.after.barrier", String.valueOf(putsAfterBarrier));
        FaultyStores.slow(Duration.ofMillis(300), Duration.ofMillis(300));

        JobClient client = job.start();
        await().atMost(Duration.ofMinutes(3)).until(() -> KeyedJob.handedOut() > COUNT / 20);
        String savepoint = client.stopWithSavepoint(
                        false, directory.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
                .get();
        await().atMost(Duration.ofMinutes(1)).until(() -> TaskInstances.count() == 0);
        assertThat(KeyedJob.handedOut()).isLessThan(COUNT);
        job.set("execution.state-recovery.path", savepoint).rate(1_000_000).run(0);

        assertThat(KeyedJob.handedOut()).isEqualTo(COUNT);
        assertThat(KeyedJob.outOfOrder()).isZero();
        assertThat(KeyedJob.lateRecords()).isZero();
        assertThat(KeyedJob.results()).isEqualTo(job.expected());
    }
}
