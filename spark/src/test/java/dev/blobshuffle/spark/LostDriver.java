package dev.blobshuffle.spark;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** An application that stores a shuffle and then waits for its end by SIGKILL. */
final class LostDriver {
    static final String STORED = "the shuffle is stored";

    private LostDriver() {}

    /** @param arguments the test's directory, and the lease in milliseconds */
    public static void main(String[] arguments) throws InterruptedException {
        Map<String, String> settings =
                Map.of("spark.blobshuffle.durability", "sync", "spark.blobshuffle.lease.ms", arguments[1]);
        try (SparkApplication spark = SparkApplication.withPlugin(Path.of(arguments[0]), settings)) {
            String ignored = Programs.grouped(spark);
            System.out.println(STORED); // The test waits for it.
            new CountDownLatch(1).await();
        }
    }
}
