package dev.blobshuffle.spark;

import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.util.Properties;

/** A query of Structured Streaming with a trigger each second. Its micro-batches need no store. */
class StreamingIT {
    private static final int BATCHES = 3;
    private static final int KEYS = 500;

    @TempDir
    private Path directory;

    /** Spark removes a shuffle when the driver collects garbage. Here it never does so in time. */
    @Test
    void finishedMicroBatchesAreNeverUploaded() throws Exception {
        assumeThat(Properties.versionNumberString()).doesNotStartWith("2.12");
        Path store = directory.resolve("store");
        Path files = Files.createDirectories(directory.resolve("files"));
        for (int file = 0; file < BATCHES; file++) {
            write(files.resolve(file + ".json"));
        }
        Map<String, String> settings = Map.of(
                "spark.blobshuffle.store", "faulty://" + store,
                "spark.blobshuffle.upload.min.age.ms", "86400000",
                "spark.cleaner.referenceTracking", "false");
        try (SparkApplication spark = SparkApplication.withPlugin(directory, settings)) {
            FaultyStores.countFromZero(store);
            StreamingQuery query = counts(spark, files);
            query.processAllAvailable();
            assertThat(query.lastProgress().batchId()).isEqualTo(BATCHES - 1L);
            assertThat(spark.session()
                            .sql("select count(*), sum(n) from counts")
                            .first()
                            .toString())
                    .isEqualTo("[" + KEYS + "," + BATCHES * KEYS + "]");
            assertThat(FaultyStores.puts(store)).isZero();
            assertThat(FaultyStores.gets(store)).isZero();

            RequestsIT.upload();
            assertThat(FaultyStores.puts(store)).as("those of the last one").isEqualTo(1);
            query.stop();
        }
        assertThat(SparkApplication.blobs(directory)).isEmpty();
    }

    private static void write(Path file) throws IOException {
        Path ignored = Files.write(
                file,
                LongStream.range(0, KEYS)
                        .mapToObj(key -> "{\"k\": " + key + "}")
                        .toList());
    }

    private StreamingQuery counts(SparkApplication spark, Path files) throws Exception {
        return spark.session()
                .readStream()
                .schema("k long")
                .option("maxFilesPerTrigger", 1)
                .json(files.toString())
                .groupBy("k")
                .agg(count(lit(1)).as("n"))
                .writeStream()
                .format("memory")
                .queryName("counts")
                .outputMode("complete")
                .option("checkpointLocation", directory.resolve("checkpoint").toString())
                .trigger(Trigger.ProcessingTime(1_000))
                .start();
    }
}
