package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.util.Properties;

/** Two executors in two zones: what one wrote, the other reads from the store. */
class ZonesIT {
    private static final int EXECUTORS = 2;

    /** The least that settings allow; 16 MiB by default. */
    private static final long WINDOW = 64 << 10;

    private static long expected;

    @TempDir
    private Path directory;

    @BeforeAll
    static void computesNatively(@TempDir Path directory) {
        try (SparkApplication spark = SparkApplication.plain(directory, Map.of())) {
            expected = ManyBlocks.of(spark).sum();
        }
    }

    private Path store() {
        return directory.resolve("store");
    }

    private SparkApplication application(Map<String, String> settings) {
        Map<String, String> configuration = new TreeMap<>(settings);
        configuration.put("spark.plugins", ZonePlugin.class.getName() + "," + BlobShufflePlugin.class.getName());
        configuration.put("spark.blobshuffle.store", "faulty://" + store());
        return SparkApplication.cluster(directory, configuration);
    }

    private static long shown(String metric) {
        return ShownMetrics.now().get(metric);
    }

    private static void awaitReport(String metric) {
        await("reports of " + metric).atMost(Duration.ofMinutes(2)).until(() -> shown(metric) > 0);
    }

    @Test
    void onlyBytesThatTheStoreDoesNotGiveCrossZones() throws IOException {
        Map<String, String> settings =
                Map.of("spark.blobshuffle.cache.memory.bytes", "0", "spark.blobshuffle.zone.upload.wait.ms", "600000");
        try (SparkApplication spark = application(settings)) {
            FaultyStores.countFromZero(store());
            ManyBlocks shuffle = ManyBlocks.of(spark);
            assertThat(shuffle.sum()).isEqualTo(expected);
            assertThat(FaultyStores.gets(store())).isPositive();
            awaitReport("bytes.across.natively");
            assertThat(shown("bytes.across")).isZero();

            for (Path blob : SparkApplication.blobs(directory)) {
                Files.delete(blob);
            }
            assertThat(shuffle.sum()).as("the writers live").isEqualTo(expected);
            awaitReport("bytes.across");
            assertThat(shuffle.runs().value()).isEqualTo(ManyBlocks.MAPS);
        }
    }

    /** Blobs of a fiftieth of the shuffle's bytes, with windows of a quarter of a blob. */
    @Test
    void eachZoneReadsAWindowOnce() throws IOException {
        assumeThat(Properties.versionNumberString()).doesNotStartWith("2.12");
        Map<String, String> settings = Map.of(
                "spark.blobshuffle.store.hedge.enabled",
                "false",
                "spark.blobshuffle.blob.bytes",
                String.valueOf(4 * WINDOW),
                "spark.blobshuffle.read.window.bytes",
                String.valueOf(WINDOW),
                "spark.blobshuffle.zone.upload.age.ms",
                "86400000",
                "spark.blobshuffle.zone.upload.wait.ms",
                "0");
        try (SparkApplication spark = application(settings)) {
            FaultyStores.countFromZero(store());
            ManyBlocks shuffle = ManyBlocks.of(spark);
            assertThat(shuffle.sum()).isEqualTo(expected);
            await("uploads of both executors").atMost(Duration.ofMinutes(2)).until(() -> {
                spark.context().parallelize(List.of(0, 1, 2, 3), 4).foreach(task -> RequestsIT.upload());
                return SparkApplication.blobs(directory).size() == shown("blobs");
            });
            FaultyStores.countGetsFromZero(store());
            assertThat(shuffle.sum()).isEqualTo(expected);

            long bytes = 0;
            long windows = 0;
            List<Path> blobs = SparkApplication.blobs(directory);
            for (Path blob : blobs) {
                bytes += Files.size(blob);
                windows += (Files.size(blob) + WINDOW - 1) / WINDOW;
            }
            assertThat(FaultyStores.puts(store())).isBetween((long) blobs.size(), bytes / (4 * WINDOW) + EXECUTORS);
            assertThat(FaultyStores.gets(store())).isBetween(1L, windows + blobs.size());
        }
        assertThat(SparkApplication.blobs(directory)).isEmpty();
    }
}
