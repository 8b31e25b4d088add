package dev.blobshuffle.bench.spark;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How an application shuffles. */
public enum SparkSystem {
    /** Spark's own shuffle, on the disks of executors. */
    NATIVE("Spark", Double.NaN),
    /** Blobs with their defaults. A job that ends within 30 seconds uploads nothing. */
    BLOBS("blobs, write-behind", 1.05),
    /** The same, and all outputs are uploaded while the job runs or soon after it. */
    UPLOADED("blobs, uploaded", 1.15, "spark.blobshuffle.upload.min.age.ms=1000"),
    /** A map ends when its output is in the store, and nothing stays at the executor. */
    SYNC("blobs, sync", 1.3, "spark.blobshuffle.durability=sync"),
    /** The plug-in that writes an object for each map, of which the plan names the jar. */
    OBJECTS("an object per map", Double.NaN);

    private final String title;
    private final double goal;
    private final List<String> own;

    SparkSystem(String title, double goal, String... own) {
        this.title = title;
        this.goal = goal;
        this.own = List.of(own);
    }

    /** The name in output. */
    String title() {
        return title;
    }

    /** The goal of its CPU time as a multiple of Spark's own, an upper bound; NaN: none. */
    double goal() {
        return goal;
    }

    /** Whether its blobs are this project's. */
    boolean isOurs() {
        return this == BLOBS || this == UPLOADED || this == SYNC;
    }

    /**
     * Spark's settings.
     *
     * @param jar of the plug-in; natively none is used
     * @param store of our blobs, as a URI
     * @param objects where the other plug-in writes, as a URI
     */
    List<String> settings(Path jar, String store, String objects) {
        List<String> settings = new ArrayList<>();
        if (this == NATIVE) {
            return settings;
        }
        settings.add("spark.driver.extraClassPath=" + jar);
        settings.add("spark.executor.extraClassPath=" + jar);
        if (isOurs()) {
            settings.add("spark.plugins=dev.blobshuffle.spark.BlobShufflePlugin");
            settings.add("spark.blobshuffle.store=" + store);
            settings.add("spark.shuffle.manager=dev.blobshuffle.spark.Spark35Shuffle"); // which 3.5 needs
        } else {
            settings.add("spark.shuffle.manager=org.apache.spark.shuffle.sort.S3ShuffleManager");
            settings.add("spark.shuffle.sort.io.plugin.class=org.apache.spark.shuffle.S3ShuffleDataIO");
            settings.add("spark.shuffle.s3.rootDir=" + objects);
        }
        settings.addAll(own);
        return settings;
    }
}
