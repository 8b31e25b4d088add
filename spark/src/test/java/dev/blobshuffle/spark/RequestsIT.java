package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.MigratableResolver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.util.Properties;

/** How many requests a shuffle of many small blocks costs, counted at the store. */
class RequestsIT {
    private static final int MAPS = ManyBlocks.MAPS;
    private static final int PARTITIONS = ManyBlocks.PARTITIONS;

    /** The least that settings allow; 16 MiB by default. */
    private static final int WINDOW = 64 << 10;

    private static final long EXPECTED = ManyBlocks.expected();

    @TempDir
    private Path directory;

    private Path store() {
        return directory.resolve("store");
    }

    private SparkApplication application(Map<String, String> settings) throws IOException {
        Map<String, String> configuration = new TreeMap<>(settings);
        configuration.put("spark.blobshuffle.store", "faulty://" + store());
        SparkApplication spark = SparkApplication.withPlugin(directory, configuration);
        FaultyStores.countFromZero(store()); // Without the checks when it opens.
        return spark;
    }

    @Test
    void smallBlobsAreReadOnce() throws IOException {
        Map<String, String> settings =
                Map.of("spark.blobshuffle.durability", "sync", "spark.blobshuffle.sync.wait.ms", "600000");
        try (SparkApplication spark = application(settings)) {
            assertThat(ManyBlocks.of(spark).sum()).isEqualTo(EXPECTED);

            assertThat(FaultyStores.puts(store())).isEqualTo(MAPS / 2);
            assertThat(FaultyStores.gets(store())).isEqualTo(MAPS / 2).isLessThanOrEqualTo(MAPS * PARTITIONS / 50);
            assertThat(ShownMetrics.now())
                    .containsEntry("blobs", MAPS / 2L)
                    .containsEntry("maps.saved", 0L)
                    .containsEntry("requests.put", MAPS / 2L)
                    .containsEntry("requests.failed", 0L)
                    .containsKeys("requests", "requests.get", "cost.microdollars", "bytes.sent", "bytes.fetched");
        }
    }

    /** The streams of micro-batches, and most queries. */
    @Test
    @Tag("nightly")
    void aShuffleThatEndsBeforeItsUploadCausesNoRequest() throws IOException {
        try (SparkApplication spark = application(Map.of("spark.blobshuffle.upload.min.age.ms", "86400000"))) {
            String ignored = Programs.aggregate(spark);
            assertThat(FaultyStores.puts(store())).isZero();
        }
    }

    /** An executor that lives on reads its files. Here they are lost, after the upload. */
    @Test
    void largeBlobsAreReadByWindows() throws IOException {
        assumeThat(Properties.versionNumberString()).doesNotStartWith("2.12");
        Map<String, String> settings = Map.of(
                "spark.blobshuffle.upload.min.age.ms",
                "86400000",
                "spark.blobshuffle.read.window.bytes",
                String.valueOf(WINDOW));
        try (SparkApplication spark = application(settings)) {
            ManyBlocks shuffle = ManyBlocks.of(spark);
            assertThat(shuffle.sum()).isEqualTo(EXPECTED);
            assertThat(FaultyStores.puts(store())).isZero();
            upload();
            deleteFiles(directory.resolve("local"));

            assertThat(shuffle.sum()).isEqualTo(EXPECTED);

            List<Path> blobs = SparkApplication.blobs(directory);
            assertThat(blobs).hasSize(1);
            assertThat(FaultyStores.puts(store())).isEqualTo(1);
            int windows = (int) (Files.size(blobs.get(0)) / WINDOW);
            assertThat(windows).isBetween(30, MAPS * PARTITIONS / 50);
            assertThat(FaultyStores.gets(store())).isBetween((long) windows, windows + 2L);
        }
    }

    /** As Spark's decommissioning asks. With Scala 2.12 it asks Spark's own resolver. */
    static void upload() {
        Object ignored =
                ((MigratableResolver) SparkEnv.get().shuffleManager().shuffleBlockResolver()).getStoredShuffles();
    }

    private static void deleteFiles(Path local) throws IOException {
        try (Stream<Path> files = Files.walk(local)) {
            files.filter(file -> file.toString().endsWith(".data")).forEach(RequestsIT::delete);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
