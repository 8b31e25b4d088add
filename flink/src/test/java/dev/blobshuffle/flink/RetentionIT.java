package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.flink.internal.instance.TaskInstances;
import dev.blobshuffle.flink.internal.retain.QuickSweeps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JobManager of a running job deletes only what no completed checkpoint needs. */
@Tag("nightly")
class RetentionIT {
    @TempDir
    private Path directory;

    @BeforeEach
    void begin() {
        KeyedJob.reset();
        QuickSweeps.begin();
    }

    @AfterEach
    void end() {
        QuickSweeps.end();
    }

    @Test
    void aRunningJobLosesItsOldBlobsOnly() throws Exception {
        JobClient client = new KeyedJob(directory, 100_000_000)
                .rate(2_000)
                .set("blobshuffle.retention.floor.ms", "0")
                .start();
        await().atMost(Duration.ofMinutes(2)).until(() -> !blobs().isEmpty());
        Path blob = blobs().get(0);
        Path old = copyOfAge(blob, 100);
        Path young = copyOfAge(blob, 2);

        await().atMost(Duration.ofMinutes(2)).until(() -> !Files.exists(old));
        client.cancel().get();

        assertThat(young).exists();
        // Until then they may write into the directory, which is deleted next.
        await().atMost(Duration.ofMinutes(2)).until(() -> TaskInstances.count() == 0 && !isSweeping());
    }

    private static boolean isSweeping() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().contains("blobshuffle-sweeper"));
    }

    /** As if the blob had been stored so many minutes before. */
    private static Path copyOfAge(Path blob, long minutes) throws IOException {
        Path generation = blob.getParent();
        Path earlier = generation.resolveSibling(String.format(
                Locale.ROOT, "%010d", Long.parseLong(generation.getFileName().toString()) - minutes));
        Files.createDirectories(earlier);
        return Files.copy(blob, earlier.resolve(blob.getFileName()));
    }

    /** Blobs with an owner: those without one check that the store works. */
    private List<Path> blobs() throws IOException {
        Path store = directory.resolve("store");
        if (!Files.exists(store)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(store)) {
            return files.filter(file -> file.toString().matches(".*/blobs/[0-9a-f]{6}/.*[.]blob"))
                    .toList();
        } catch (UncheckedIOException e) {
            return List.of(); // A file was deleted meanwhile; the caller looks again.
        }
    }
}
