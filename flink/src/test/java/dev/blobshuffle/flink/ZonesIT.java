package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.flink.internal.instance.TaskInstances;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only records that leave a zone go through blobs, and results stay exact. */
class ZonesIT {
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

    @Test
    void aJobInOneZoneWritesNoBlob() throws Exception {
        KeyedJob job = job().zones(taskManager -> "a");

        job.run(1);

        assertExact(job);
        assertThat(FlowReporter.nativeBytes()).isPositive();
        assertThat(FlowReporter.blobBytes()).isZero();
        assertThat(blobs()).isZero();
    }

    @Test
    void whatStaysInAZoneGoesNativelyAndTheRestThroughBlobs() throws Exception {
        KeyedJob job = job().zones(taskManager -> taskManager);

        job.run(2);

        assertExact(job);
        assertThat(FlowReporter.nativeBytes()).isPositive();
        assertThat(FlowReporter.blobBytes()).isPositive();
        assertThat(blobs()).isPositive();
    }

    /**
     * Each restart moves the TaskManagers. Then records that go natively follow references of the
     * attempt before, whose blobs are still being read.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTaskManagerMayMoveToAnotherZone(boolean isUnaligned) throws Exception {
        KeyedJob job = job().faulty()
                .zones(ZonesIT::zoneThatMoves)
                .set("execution.checkpointing.unaligned.enabled", String.valueOf(isUnaligned));
        FaultyStores.slow(Duration.ZERO, Duration.ofMillis(300));

        job.run(4);

        assertExact(job);
        assertThat(FlowReporter.nativeBytes()).isPositive();
        assertThat(FlowReporter.blobBytes()).isPositive();
    }

    /** First apart, then together, and so on. */
    private static String zoneThatMoves(String taskManager) {
        return KeyedJob.failures() % 2 == 0 ? taskManager : "a";
    }

    private KeyedJob job() {
        return new KeyedJob(directory, COUNT).rate(12_000).set("taskmanager.numberOfTaskSlots", "1");
    }

    private static void assertExact(KeyedJob job) {
        assertThat(KeyedJob.lateRecords()).isZero();
        assertThat(KeyedJob.outOfOrder()).isZero();
        assertThat(KeyedJob.results()).isEqualTo(job.expected());
    }

    /** Blobs with an owner: those without one check that the store works. */
    private long blobs() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("store"))) {
            return files.filter(file -> file.toString().matches(".*/blobs/[0-9a-f]{6}/.*[.]blob"))
                    .count();
        }
    }
}
