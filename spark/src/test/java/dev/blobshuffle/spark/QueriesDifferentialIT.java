package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drawn queries have the same results natively and through blobs, in one of two modes. {@code
 * -Ddifferential.queries} says how many, and {@code -Ddifferential.seed} which is the first; a
 * failure names its seed.
 */
class QueriesDifferentialIT {
    private static final int QUERIES = Integer.getInteger("differential.queries", 4);

    /** Queries of one application. */
    private static final int BATCH = 200;

    private static final List<Map<String, String>> MODES = List.of(
            Map.of("spark.blobshuffle.upload.min.age.ms", "1", "spark.shuffle.compress", "false"),
            Map.of(
                    "spark.blobshuffle.durability", "sync",
                    "spark.blobshuffle.read.window.bytes", "65536",
                    "spark.blobshuffle.cache.memory.bytes", "1048576",
                    "spark.serializer", "org.apache.spark.serializer.KryoSerializer"));

    @TempDir
    private Path directory;

    @Test
    void drawnQueriesHaveTheResultsOfNative() throws Exception {
        long seed = Long.getLong("differential.seed", 1);
        for (long first = seed; first < seed + QUERIES; first += BATCH) {
            List<Long> seeds = LongStream.range(first, Math.min(first + BATCH, seed + QUERIES))
                    .boxed()
                    .toList();
            List<List<String>> expected;
            try (SparkApplication spark = SparkApplication.plain(directory, Map.of())) {
                expected = results(spark, seeds);
            }
            for (int mode = 0; mode < MODES.size(); mode++) {
                assertResults(mode, seeds, expected);
            }
        }
    }

    /** Those of the seeds that have a mode. */
    private void assertResults(int mode, List<Long> seeds, List<List<String>> expected) throws IOException {
        Path own = Files.createTempDirectory(directory, "mode");
        try (SparkApplication spark = SparkApplication.withPlugin(own, new TreeMap<>(MODES.get(mode)))) {
            for (int i = 0; i < expected.size(); i++) {
                if (Math.floorMod(seeds.get(i), MODES.size()) == mode) {
                    assertThat(DrawnQuery.result(spark.session(), seeds.get(i)))
                            .as("%s", MODES.get(mode))
                            .isEqualTo(expected.get(i));
                }
            }
        }
        assertThat(SparkApplication.blobs(own)).isEmpty();
    }

    private static List<List<String>> results(SparkApplication spark, List<Long> seeds) {
        List<List<String>> results = new ArrayList<>();
        for (long seed : seeds) {
            results.add(DrawnQuery.result(spark.session(), seed));
        }
        return results;
    }
}
