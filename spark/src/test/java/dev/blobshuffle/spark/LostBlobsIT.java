package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.util.LongAccumulator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A lost or damaged blob makes exactly its maps run again. With {@code sync} nothing else has their
 * outputs. All tests share an application.
 */
class LostBlobsIT {
    /** A stage may be tried again four times, and this many maps have more blobs. */
    private static final int MANY_MAPS = 24;

    @TempDir
    private static Path directory;

    private static @Nullable SparkApplication spark;

    @FunctionalInterface
    private interface Harm {
        void to(Path blob) throws IOException;
    }

    /**
     * Two tasks run at a time, and wait for each other: a blob for each two maps. The executor
     * remembers nothing that it has read. Without compression Spark does not notice a flipped bit,
     * or fails the job.
     */
    @BeforeAll
    static void start() {
        Map<String, String> settings = Map.of(
                "spark.blobshuffle.durability", "sync",
                "spark.blobshuffle.sync.wait.ms", "600000",
                "spark.blobshuffle.cache.memory.bytes", "0",
                "spark.shuffle.compress", "false");
        spark = SparkApplication.withPlugin(directory, settings);
    }

    @AfterAll
    static void stop() {
        application().close();
    }

    private static SparkApplication application() {
        return Objects.requireNonNull(spark);
    }

    @AfterEach
    void theBlobsOfRemovedShufflesAreDeleted() {
        assertThat(SparkApplication.blobs(directory)).isNotEmpty();
        application().removeShuffles();
        await().atMost(Duration.ofMinutes(2))
                .until(() -> SparkApplication.blobs(directory).isEmpty());
    }

    @Test
    void theMapsOfADeletedBlobRunAgain() throws IOException {
        assertMapsRunAgain(Files::delete);
    }

    @Test
    void theMapsOfABlobWithAFlippedBitRunAgain() throws IOException {
        assertMapsRunAgain(blob -> {
            byte[] bytes = Files.readAllBytes(blob);
            bytes[0] ^= 1;
            Files.write(blob, bytes);
        });
    }

    @Test
    void theMapsOfATruncatedBlobRunAgain() throws IOException {
        assertMapsRunAgain(blob -> {
            byte[] bytes = Files.readAllBytes(blob);
            Files.write(blob, Arrays.copyOf(bytes, bytes.length / 2));
        });
    }

    private static void assertMapsRunAgain(Harm harm) throws IOException {
        LongAccumulator runs = application().session().sparkContext().longAccumulator();
        JavaPairRDD<String, Iterable<Long>> groups =
                Programs.counted(application(), runs).groupByKey(Programs.PARTITIONS);
        String expected = Programs.sums(groups);
        assertThat(runs.value()).isEqualTo(Programs.MAPS);
        List<Path> blobs = SparkApplication.blobs(directory);
        assertThat(blobs).hasSize(Programs.MAPS / 2);
        Path victim = blobs.get(0);
        assertThat(StoredMaps.count(victim)).isEqualTo(2);
        harm.to(victim);

        assertThat(Programs.sums(groups)).isEqualTo(expected);
        assertThat(runs.value()).isEqualTo(Programs.MAPS + 2);
    }

    /** Whatever deletes one blob may delete all. */
    @Test
    void theMapsOfManyDeletedBlobsRunAgain() throws IOException {
        LongAccumulator runs = application().session().sparkContext().longAccumulator();
        JavaPairRDD<String, Iterable<Long>> groups =
                Programs.counted(application(), runs, MANY_MAPS).groupByKey(Programs.PARTITIONS);
        String expected = Programs.sums(groups);
        assertThat(SparkApplication.blobs(directory)).hasSize(MANY_MAPS / 2);
        for (Path blob : SparkApplication.blobs(directory)) {
            Files.delete(blob);
        }

        assertThat(Programs.sums(groups)).isEqualTo(expected);
        assertThat(runs.value()).isEqualTo(2 * MANY_MAPS);
    }
}
