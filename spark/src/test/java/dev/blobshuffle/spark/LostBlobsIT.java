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
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A lost or damaged blob makes exactly its maps run again. With {@code sync} nothing else has their
 * outputs.
 */
class LostBlobsIT {
    /**
     * Two tasks run at a time, and wait for each other: a blob for each two maps. The executor
     * remembers nothing that it has read.
     */
    private static final Map<String, String> SYNC = Map.of(
            "spark.blobshuffle.durability", "sync",
            "spark.blobshuffle.sync.wait.ms", "600000",
            "spark.blobshuffle.cache.memory.bytes", "0");

    @TempDir
    private Path directory;

    @FunctionalInterface
    private interface Harm {
        void to(Path blob) throws IOException;
    }

    @Test
    void theMapsOfADeletedBlobRunAgain() throws IOException {
        assertMapsRunAgain(SYNC, Files::delete);
    }

    /** Without compression Spark does not notice it, or fails the job. */
    @Test
    void theMapsOfABlobWithAFlippedBitRunAgain() throws IOException {
        Map<String, String> uncompressed = new TreeMap<>(SYNC);
        uncompressed.put("spark.shuffle.compress", "false");
        assertMapsRunAgain(uncompressed, blob -> {
            byte[] bytes = Files.readAllBytes(blob);
            bytes[0] ^= 1;
            Files.write(blob, bytes);
        });
    }

    @Test
    void theMapsOfATruncatedBlobRunAgain() throws IOException {
        assertMapsRunAgain(SYNC, blob -> {
            byte[] bytes = Files.readAllBytes(blob);
            Files.write(blob, Arrays.copyOf(bytes, bytes.length / 2));
        });
    }

    private void assertMapsRunAgain(Map<String, String> settings, Harm harm) throws IOException {
        try (SparkApplication spark = SparkApplication.withPlugin(directory, settings)) {
            LongAccumulator runs = spark.session().sparkContext().longAccumulator();
            JavaPairRDD<String, Iterable<Long>> groups =
                    Programs.counted(spark, runs).groupByKey(Programs.PARTITIONS);
            String expected = Programs.sums(groups);
            assertThat(runs.value()).isEqualTo(Programs.MAPS);
            List<Path> blobs = SparkApplication.blobs(directory);
            Path victim = blobs.get(0);
            assertThat(blobs).hasSize(Programs.MAPS / 2);
            assertThat(StoredMaps.count(victim)).isEqualTo(2);
            harm.to(victim);

            assertThat(Programs.sums(groups)).isEqualTo(expected);
            assertThat(runs.value()).isEqualTo(Programs.MAPS + 2);
        }
    }

    /** They are more than a stage may be tried again. Whatever deletes one blob may delete all. */
    @Test
    void theMapsOfManyDeletedBlobsRunAgain() throws IOException {
        int maps = 12;
        Map<String, String> settings = new TreeMap<>(SYNC);
        settings.put("spark.blobshuffle.blob.bytes", "1");
        try (SparkApplication spark = SparkApplication.withPlugin(directory, settings)) {
            LongAccumulator runs = spark.session().sparkContext().longAccumulator();
            JavaPairRDD<String, Iterable<Long>> groups =
                    Programs.counted(spark, runs, maps).groupByKey(Programs.PARTITIONS);
            String expected = Programs.sums(groups);
            assertThat(SparkApplication.blobs(directory)).hasSize(maps);
            for (Path blob : SparkApplication.blobs(directory)) {
                Files.delete(blob);
            }

            assertThat(Programs.sums(groups)).isEqualTo(expected);
            assertThat(runs.value()).isEqualTo(2 * maps);
        }
    }

    /** The store is not asked while the writer lives. */
    @Test
    void aBlobThatIsLostBehindALivingWriterCostsNothing() throws IOException {
        try (SparkApplication spark = SparkApplication.withPlugin(
                directory, Map.of("spark.blobshuffle.upload.min.age.ms", "1", "spark.blobshuffle.blob.bytes", "1"))) {
            LongAccumulator runs = spark.session().sparkContext().longAccumulator();
            JavaPairRDD<String, Iterable<Long>> groups =
                    Programs.counted(spark, runs).groupByKey(Programs.PARTITIONS);
            String expected = Programs.sums(groups);
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> SparkApplication.blobs(directory).size() == Programs.MAPS);
            for (Path blob : SparkApplication.blobs(directory)) {
                Files.delete(blob);
            }

            assertThat(Programs.sums(groups)).isEqualTo(expected);
            assertThat(runs.value()).isEqualTo(Programs.MAPS);
        }
    }

    /** Spark's planner and its pages tell them from what came over the network. */
    @Test
    void theBlobsOfTheOwnExecutorAreLocal() {
        try (SparkApplication spark = SparkApplication.withPlugin(directory, Map.of())) {
            Blocks blocks = new Blocks();
            spark.session().sparkContext().addSparkListener(blocks);
            String ignored = Programs.grouped(spark);

            await().atMost(Duration.ofMinutes(2))
                    .until(() -> blocks.local.get() == (long) Programs.MAPS * Programs.PARTITIONS);
            assertThat(blocks.remote).hasValue(0);
        }
    }

    @Test
    void sparksMetricsShowRequestsAndBlobs() {
        try (SparkApplication spark = SparkApplication.withPlugin(directory, SYNC)) {
            String ignored = Programs.grouped(spark);

            assertThat(ShownMetrics.now())
                    .containsEntry("blobs", 3L)
                    .containsEntry("maps.saved", 0L)
                    .containsEntry("requests.put", 3L)
                    .containsEntry("requests.failed", 0L)
                    .containsKeys("requests", "requests.get", "cost.microdollars", "bytes.sent", "bytes.fetched");
        }
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

    /** Such as those that left a disk without room. */
    @Test
    void outputsThatLeftTheDiskComeFromTheStore() throws IOException {
        try (SparkApplication spark =
                SparkApplication.withPlugin(directory, Map.of("spark.blobshuffle.upload.min.age.ms", "1"))) {
            LongAccumulator runs = spark.session().sparkContext().longAccumulator();
            JavaPairRDD<String, Iterable<Long>> groups =
                    Programs.counted(spark, runs).groupByKey(Programs.PARTITIONS);
            String expected = Programs.sums(groups);
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> SparkApplication.blobs(directory).stream()
                                    .mapToInt(StoredMaps::count)
                                    .sum()
                            == Programs.MAPS);
            try (Stream<Path> files = Files.walk(directory.resolve("local"))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".data")).toList()) {
                    Files.delete(file);
                }
            }

            assertThat(Programs.sums(groups)).isEqualTo(expected);
            assertThat(runs.value()).isEqualTo(Programs.MAPS);
        }
    }

    /** The streams of micro-batches, and most queries. */
    @Test
    void aShuffleThatEndsBeforeItsUploadCausesNoBlob() {
        try (SparkApplication spark =
                SparkApplication.withPlugin(directory, Map.of("spark.blobshuffle.upload.min.age.ms", "86400000"))) {
            String ignored = Programs.aggregate(spark);
            assertThat(SparkApplication.blobs(directory)).isEmpty();
        }
    }

    @Test
    void theBlobsOfARemovedShuffleAreDeleted() {
        try (SparkApplication spark = SparkApplication.withPlugin(directory, SYNC)) {
            JavaPairRDD<String, Iterable<Long>> groups = Programs.counted(
                            spark, spark.session().sparkContext().longAccumulator())
                    .groupByKey(Programs.PARTITIONS);
            String ignored = Programs.sums(groups);
            assertThat(SparkApplication.blobs(directory)).isNotEmpty();

            spark.session().sparkContext().cleaner().get().doCleanupShuffle(0, true);

            await().atMost(Duration.ofMinutes(2))
                    .until(() -> SparkApplication.blobs(directory).isEmpty());
        }
    }
}
