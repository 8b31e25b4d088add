package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drawn RDD programs have the same results natively, and through blobs with drawn settings.
 * {@code -Ddifferential.programs} says how many, {@code -Ddifferential.seed} which is the first,
 * and {@code -Ddifferential.partitions} how many partitions a few shuffles have at most. A failure
 * names its seed and the settings.
 */
class ProgramsDifferentialIT {
    private static final int PROGRAMS = Integer.getInteger("differential.programs", 5);

    private static final List<String> DURABILITIES = List.of("write-behind", "sync");

    /** Programs of one application. */
    private static final int BATCH = 25;

    @TempDir
    private Path directory;

    @Test
    void drawnProgramsHaveTheResultsOfNative() throws Exception {
        long seed = Long.getLong("differential.seed", 1);
        for (long first = seed; first < seed + PROGRAMS; first += BATCH) {
            List<Long> seeds = LongStream.range(first, Math.min(first + BATCH, seed + PROGRAMS))
                    .boxed()
                    .toList();
            List<List<String>> expected;
            try (SparkApplication spark = SparkApplication.plain(directory, Map.of())) {
                expected = results(spark, seeds);
            }
            for (int mode = 0; mode < DURABILITIES.size(); mode++) {
                assertResults(mode, seeds, expected);
            }
        }
    }

    /** Those of the seeds that have a mode. */
    private void assertResults(int mode, List<Long> seeds, List<List<String>> expected) throws IOException {
        Map<String, String> settings = settings(DURABILITIES.get(mode), seeds.get(0));
        Path own = Files.createTempDirectory(directory, DURABILITIES.get(mode));
        try (SparkApplication spark = SparkApplication.withPlugin(own, settings)) {
            JavaSparkContext context = context(spark);
            for (int i = 0; i < expected.size(); i++) {
                if (Math.floorMod(seeds.get(i), DURABILITIES.size()) == mode) {
                    assertThat(DrawnProgram.result(context, seeds.get(i)))
                            .as("%s", settings)
                            .isEqualTo(expected.get(i));
                }
            }
        }
        assertThat(SparkApplication.blobs(own)).as("%s", settings).isEmpty();
    }

    private JavaSparkContext context(SparkApplication spark) {
        JavaSparkContext context = spark.context();
        context.setCheckpointDir(directory.resolve("checkpoints").toString());
        return context;
    }

    private List<List<String>> results(SparkApplication spark, List<Long> seeds) {
        JavaSparkContext context = context(spark);
        List<List<String>> results = new ArrayList<>();
        for (long seed : seeds) {
            results.add(DrawnProgram.result(context, seed));
        }
        return results;
    }

    /** Those of an application, drawn by its first seed. */
    private static Map<String, String> settings(String durability, long seed) {
        Random random = new Random(31 * seed + durability.hashCode());
        Map<String, String> settings = new TreeMap<>(Map.of("spark.blobshuffle.durability", durability));
        draw(random, settings, "spark.serializer", "JavaSerializer", "KryoSerializer");
        settings.computeIfPresent("spark.serializer", (name, simple) -> "org.apache.spark.serializer." + simple);
        draw(random, settings, "spark.io.compression.codec", "lz4", "lzf", "snappy", "zstd");
        draw(random, settings, "spark.shuffle.compress", "true", "true", "false");
        draw(random, settings, "spark.io.encryption.enabled", "false", "false", "true");
        draw(random, settings, "spark.speculation", "false", "true");
        draw(random, settings, "spark.shuffle.sort.bypassMergeThreshold", "0", "3", "200");
        draw(random, settings, "spark.shuffle.spill.numElementsForceSpillThreshold", "5", "100", "1000000");
        draw(random, settings, "spark.network.maxRemoteBlockSizeFetchToMem", "1k", "200m");
        draw(random, settings, "spark.reducer.maxBlocksInFlightPerAddress", "1", "3", "1000");
        draw(random, settings, "spark.shuffle.detectCorrupt.useExtraMemory", "false", "true");
        draw(random, settings, "spark.blobshuffle.upload.min.age.ms", "1", "30000");
        draw(random, settings, "spark.blobshuffle.blob.bytes", "1", "10000", "67108864");
        draw(random, settings, "spark.blobshuffle.read.window.bytes", "65536", "16777216");
        draw(random, settings, "spark.blobshuffle.cache.memory.bytes", "1048576", "67108864");
        // With a large one, outputs leave the disk at once, and readers ask the store.
        draw(random, settings, "spark.blobshuffle.disk.reserve.bytes", "0", "1000000000000000");
        return settings;
    }

    private static void draw(Random random, Map<String, String> settings, String name, String... values) {
        settings.put(name, values[random.nextInt(values.length)]);
    }
}
