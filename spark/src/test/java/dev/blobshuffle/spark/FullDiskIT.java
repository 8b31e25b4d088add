package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A shuffle of 38 MB, and a disk of 16. The disk is a file system in memory, which only root may
 * mount.
 */
@Tag("nightly")
class FullDiskIT {
    private static final int BLOCK = 8 << 10;

    @TempDir
    private Path directory;

    private Path disk = Path.of("/");

    @BeforeEach
    void mount() throws IOException, InterruptedException {
        disk = Files.createDirectory(directory.resolve("disk"));
        assumeThat(run("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk.toString()))
                .isTrue();
    }

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        assertThat(run("umount", "-l", disk.toString())).isTrue();
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    }

    private long expected() {
        try (SparkApplication spark = SparkApplication.plain(directory, Map.of())) {
            return ManyBlocks.of(spark, BLOCK).sum();
        }
    }

    private Map<String, String> onDisk(Map<String, String> more) {
        Map<String, String> settings = new TreeMap<>(more);
        settings.put("spark.local.dir", disk.resolve("local").toString());
        return settings;
    }

    @Test
    void sparkAloneFails() {
        try (SparkApplication spark = SparkApplication.plain(directory, onDisk(Map.of()))) {
            assertThatThrownBy(() -> ManyBlocks.of(spark, BLOCK).sum()).hasStackTraceContaining("No space left");
        }
    }

    @Test
    void outputsLeaveAnExecutorsDiskWithSync() {
        long expected = expected();
        Map<String, String> settings = onDisk(Map.of("spark.blobshuffle.durability", "sync"));
        try (SparkApplication spark = SparkApplication.withPlugin(directory, settings)) {
            ManyBlocks shuffle = ManyBlocks.of(spark, BLOCK);
            assertThat(shuffle.sum()).isEqualTo(expected);
            assertThat(shuffle.runs().value()).isEqualTo(ManyBlocks.MAPS);
        }
    }

    /** Each map waits until the store has made room. */
    @Test
    void outputsLeaveAnExecutorsDiskThatHasLittleRoom() {
        long expected = expected();
        Map<String, String> settings = onDisk(Map.of(
                "spark.blobshuffle.upload.min.age.ms", "86400000", "spark.blobshuffle.disk.reserve.bytes", "8388608"));
        try (SparkApplication spark = SparkApplication.withPlugin(directory, settings)) {
            assertThat(ManyBlocks.of(spark, BLOCK).sum()).isEqualTo(expected);
        }
    }

    @Test
    void aFullStoreDoesNotStopWriteBehind() {
        long expected = expected();
        Map<String, String> settings = Map.of(
                "spark.blobshuffle.store", "file://" + disk.resolve("store") + "?fsync=none",
                "spark.blobshuffle.upload.min.age.ms", "1",
                "spark.blobshuffle.blob.bytes", "1");
        try (SparkApplication spark = SparkApplication.withPlugin(directory, settings)) {
            assertThat(ManyBlocks.of(spark, BLOCK).sum()).isEqualTo(expected);
        }
    }

    /** After two minutes of attempts. */
    @Test
    void aFullStoreFailsSyncClearly() {
        Map<String, String> settings = Map.of(
                "spark.blobshuffle.store",
                "file://" + disk.resolve("store") + "?fsync=none",
                "spark.blobshuffle.durability",
                "sync");
        try (SparkApplication spark = SparkApplication.withPlugin(directory, settings)) {
            assertThatThrownBy(() -> ManyBlocks.of(spark, BLOCK).sum()).hasStackTraceContaining("No space left");
        }
    }
}
