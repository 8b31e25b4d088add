package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A blob is lost or damaged while its partitions are read, and the cache has its first window. A
 * blob has two maps and three windows.
 */
class FaultsDuringReadsIT {
    private static final int WINDOW = 64 << 10;

    /** In the first window, which all tasks before it have read too. */
    private static final int PARTITION = ManyBlocks.PARTITIONS / 5;

    private static long expected;

    @TempDir
    private Path directory;

    @FunctionalInterface
    private interface Harm {
        void to(Path blob) throws IOException;
    }

    @BeforeAll
    static void computesNatively(@TempDir Path directory) {
        try (SparkApplication spark = SparkApplication.plain(directory, Map.of())) {
            expected = ManyBlocks.of(spark).sum();
        }
    }

    @AfterEach
    void stopHarm() {
        ManyBlocks.WHEN_READ.set(partition -> {});
    }

    @Test
    void theMapsOfADeletedBlobRunAgain() {
        assertRunsAgain(2, Files::delete);
    }

    @Test
    void theMapsOfATruncatedBlobRunAgain() {
        assertRunsAgain(2, blob -> {
            byte[] bytes = Files.readAllBytes(blob);
            Files.write(blob, Arrays.copyOf(bytes, WINDOW + WINDOW / 2));
        });
    }

    @Test
    void theMapsOfABlobWithAFlippedBitRunAgain() {
        assertRunsAgain(2, blob -> flip(blob, WINDOW + WINDOW / 2));
    }

    /** The cache has the bytes that were written, and they are verified. */
    @Test
    void aFlippedBitBehindTheCacheCostsNothing() {
        assertRunsAgain(0, blob -> flip(blob, WINDOW / 2));
    }

    private static void flip(Path blob, int at) throws IOException {
        byte[] bytes = Files.readAllBytes(blob);
        bytes[at] ^= 1;
        Files.write(blob, bytes);
    }

    private void assertRunsAgain(int maps, Harm harm) {
        Map<String, String> settings = Map.of(
                "spark.blobshuffle.durability", "sync",
                "spark.blobshuffle.sync.wait.ms", "600000",
                "spark.blobshuffle.read.window.bytes", String.valueOf(WINDOW),
                "spark.shuffle.compress", "false");
        try (SparkApplication spark = SparkApplication.withPlugin(directory, settings)) {
            ManyBlocks shuffle = ManyBlocks.of(spark);
            AtomicBoolean isDone = new AtomicBoolean();
            ManyBlocks.WHEN_READ.set(partition -> {
                if (partition == PARTITION && isDone.compareAndSet(false, true)) {
                    harmFirst(harm);
                }
            });

            assertThat(shuffle.sum()).isEqualTo(expected);
            assertThat(isDone).isTrue();
            assertThat(shuffle.runs().value()).isEqualTo(ManyBlocks.MAPS + maps);
        }
    }

    private void harmFirst(Harm harm) {
        try {
            List<Path> blobs = SparkApplication.blobs(directory);
            assertThat(blobs).hasSize(ManyBlocks.MAPS / 2);
            Path victim = blobs.get(0);
            assertThat(Files.size(victim)).isBetween(2L * WINDOW, 3L * WINDOW);
            assertThat(StoredMaps.count(victim)).isEqualTo(2);
            harm.to(victim);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
