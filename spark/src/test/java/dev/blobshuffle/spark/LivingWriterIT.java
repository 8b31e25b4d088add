package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.util.LongAccumulator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Readers use the disk of an executor that lives, and the store if that has lost its outputs. Each
 * map has a blob of its own. All tests share an application.
 */
class LivingWriterIT {
    @TempDir
    private static Path directory;

    private static @Nullable SparkApplication spark;

    @BeforeAll
    static void start() {
        Map<String, String> settings =
                Map.of("spark.blobshuffle.upload.min.age.ms", "1", "spark.blobshuffle.blob.bytes", "1");
        spark = SparkApplication.withPlugin(directory, settings);
    }

    @AfterAll
    static void stop() {
        application().close();
        assertThat(SparkApplication.blobs(directory)).isEmpty();
    }

    private static SparkApplication application() {
        return Objects.requireNonNull(spark);
    }

    @AfterEach
    void removeShuffles() {
        application().removeShuffles();
        await().atMost(Duration.ofMinutes(2))
                .until(() -> SparkApplication.blobs(directory).isEmpty());
    }

    /** The store is not asked. */
    @Test
    void aLostBlobCostsNothing() throws IOException {
        assertReadableWithout(".blob", directory.resolve("store"));
    }

    /** Such as those that left a disk without room. */
    @Test
    void outputsThatLeftTheDiskComeFromTheStore() throws IOException {
        assertReadableWithout(".data", directory.resolve("local"));
    }

    private static void assertReadableWithout(String ending, Path place) throws IOException {
        LongAccumulator runs = application().session().sparkContext().longAccumulator();
        JavaPairRDD<String, Iterable<Long>> groups =
                Programs.counted(application(), runs).groupByKey(Programs.PARTITIONS);
        String expected = Programs.sums(groups);
        await().atMost(Duration.ofMinutes(2))
                .until(() -> SparkApplication.blobs(directory).size() == Programs.MAPS);
        try (Stream<Path> files = Files.walk(place)) {
            List<Path> deleted =
                    files.filter(file -> file.toString().endsWith(ending)).toList();
            assertThat(deleted).hasSize(Programs.MAPS);
            for (Path file : deleted) {
                Files.delete(file);
            }
        }

        assertThat(Programs.sums(groups)).isEqualTo(expected);
        assertThat(runs.value()).isEqualTo(Programs.MAPS);
    }

    /** Spark's planner and its pages count them apart from blocks that came over the network. */
    @Test
    void theBlobsOfTheOwnExecutorAreLocal() {
        Blocks blocks = new Blocks();
        application().session().sparkContext().addSparkListener(blocks);
        String ignored = Programs.grouped(application());

        await().atMost(Duration.ofMinutes(2))
                .until(() -> blocks.local.get() == (long) Programs.MAPS * Programs.PARTITIONS);
        assertThat(blocks.remote).hasValue(0);
        application().session().sparkContext().removeSparkListener(blocks);
    }

    private static final class Blocks extends SparkListener {
        private final AtomicLong local = new AtomicLong();
        private final AtomicLong remote = new AtomicLong();

        @Override
        public void onTaskEnd(SparkListenerTaskEnd ended) {
            ShuffleReadMetrics metrics = ended.taskMetrics().shuffleReadMetrics();
            remote.addAndGet(metrics.remoteBlocksFetched());
            local.addAndGet(metrics.localBlocksFetched());
        }
    }
}
