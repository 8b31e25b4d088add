package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries and RDD programs give the same natively and through blobs. */
class SameResultsIT {
    private static List<String> expected = List.of();

    @BeforeAll
    static void computesNatively(@TempDir Path directory) {
        try (SparkApplication spark = SparkApplication.plain(directory, Map.of())) {
            expected = Programs.results(spark);
        }
    }

    @Test
    void writeBehindGivesTheResultsOfNative(@TempDir Path directory) {
        assertResults(directory, Map.of("spark.blobshuffle.upload.min.age.ms", "1"));
    }

    @Test
    @Tag("nightly")
    void syncGivesTheResultsOfNative(@TempDir Path directory) {
        assertResults(directory, Map.of("spark.blobshuffle.durability", "sync"));
    }

    @Test
    void encryptedShufflesGiveTheResultsOfNative(@TempDir Path directory) {
        assertResults(directory, Map.of("spark.blobshuffle.durability", "sync", "spark.io.encryption.enabled", "true"));
    }

    private static void assertResults(Path directory, Map<String, String> settings) {
        try (SparkApplication spark = SparkApplication.withPlugin(directory, settings)) {
            assertThat(Programs.results(spark)).isEqualTo(expected);
        }
        assertThat(SparkApplication.blobs(directory)).isEmpty();
        assertThat(SparkApplication.leases(directory)).isEmpty();
    }
}
