package dev.blobshuffle.spark;

import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.util.LongAccumulator;

/**
 * An application that stores a shuffle, and then waits for its end by SIGKILL, or for a file. With
 * the file it reads the shuffle again.
 */
final class LostDriver {
    static final String STORED = "the shuffle is stored";

    /** The name of the file. */
    static final String GO_ON = "go-on";

    /** The result is the same; how often maps ran follows. */
    static final String SAME = "the same after maps: ";

    private LostDriver() {}

    /** @param arguments the test's directory, and the lease in milliseconds */
    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        Map<String, String> settings = Map.of(
                "spark.blobshuffle.durability", "sync",
                "spark.blobshuffle.lease.ms", arguments[1],
                "spark.blobshuffle.cache.memory.bytes", "0");
        try (SparkApplication spark = SparkApplication.withPlugin(directory, settings)) {
            LongAccumulator runs = spark.session().sparkContext().longAccumulator();
            JavaPairRDD<String, Iterable<Long>> groups =
                    Programs.counted(spark, runs).groupByKey(Programs.PARTITIONS);
            String expected = Programs.sums(groups);
            System.out.println(STORED); // The test waits for it.
            await().atMost(Duration.ofHours(1)).until(() -> Files.exists(directory.resolve(GO_ON)));
            if (Programs.sums(groups).equals(expected)) {
                System.out.println(SAME + runs.value());
            }
        }
    }
}
