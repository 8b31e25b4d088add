package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two executors in two zones: what one wrote, the other reads from the store. */
class ZonesIT {
    private static final long EXPECTED = ManyBlocks.expected();

    @TempDir
    private Path directory;

    private Path store() {
        return directory.resolve("store");
    }

    private SparkApplication application() {
        return SparkApplication.cluster(
                directory,
                Map.of(
                        "spark.plugins",
                        ZonePlugin.class.getName() + "," + BlobShufflePlugin.class.getName(),
                        "spark.blobshuffle.store",
                        "faulty://" + store(),
                        "spark.blobshuffle.cache.memory.bytes",
                        "0",
                        "spark.blobshuffle.zone.upload.wait.ms",
                        "600000"));
    }

    private static long shown(String metric) {
        return ShownMetrics.now().get(metric);
    }

    private static void awaitReport(String metric) {
        await("reports of " + metric).atMost(Duration.ofMinutes(2)).until(() -> shown(metric) > 0);
    }

    @Test
    void onlyBytesThatTheStoreDoesNotGiveCrossZones() throws IOException {
        try (SparkApplication spark = application()) {
            FaultyStores.countFromZero(store());
            ManyBlocks shuffle = ManyBlocks.of(spark);
            assertThat(shuffle.sum()).isEqualTo(EXPECTED);
            assertThat(FaultyStores.gets(store())).isPositive();
            awaitReport("bytes.across.natively");
            assertThat(shown("bytes.across")).isZero();

            for (Path blob : SparkApplication.blobs(directory)) {
                Files.delete(blob);
            }
            assertThat(shuffle.sum()).as("the writers live").isEqualTo(EXPECTED);
            awaitReport("bytes.across");
            assertThat(shuffle.runs().value()).isEqualTo(ManyBlocks.MAPS);
        }
    }
}
