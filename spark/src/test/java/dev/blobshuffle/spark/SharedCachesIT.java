package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two executors of a zone share their caches. A member that is silent for half a second is not
 * waited for, so on a busy machine some blobs are read twice.
 */
class SharedCachesIT {
    private static final int BLOBS = ManyBlocks.MAPS;

    @TempDir
    private Path directory;

    @Test
    @Tag("nightly")
    void aBlobIsReadOncePerZone() throws IOException {
        Path secret = Files.createFile(
                directory.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, "a secret of enough bytes");
        Path store = directory.resolve("store");
        long expected;
        try (SparkApplication spark = SparkApplication.plain(directory, Map.of())) {
            expected = ManyBlocks.of(spark).sum();
        }
        Map<String, String> settings = Map.of(
                "spark.blobshuffle.store", "faulty://" + store,
                "spark.blobshuffle.durability", "sync",
                "spark.blobshuffle.cache.zone.enabled", "true",
                "spark.blobshuffle.peer.transport", "mac",
                "spark.blobshuffle.peer.secret.file", secret.toString());
        try (SparkApplication spark = SparkApplication.cluster(directory, settings)) {
            await().atMost(Duration.ofMinutes(3)).until(() -> areConnected(spark, store));
            FaultyStores.countFromZero(store);
            ManyBlocks shuffle = ManyBlocks.of(spark);

            assertThat(shuffle.sum()).isEqualTo(expected);
            assertThat(shuffle.runs().value()).isEqualTo(BLOBS);
            assertThat(FaultyStores.gets(store))
                    .as("each executor for itself would read %d", 2 * BLOBS)
                    .isBetween((long) BLOBS, BLOBS + BLOBS / 2L);
        }
    }

    /** Whether a shuffle of few blobs was read by one of the executors for both. */
    private static boolean areConnected(SparkApplication spark, Path store) throws IOException {
        FaultyStores.countFromZero(store);
        String ignored = Programs.grouped(spark);
        return FaultyStores.gets(store) == Programs.MAPS;
    }
}
