package dev.blobshuffle.spark;

import dev.blobshuffle.spark.internal.DriverSide;
import dev.blobshuffle.spark.internal.ExecutorSide;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Makes a Spark application keep its shuffles in a store. Name the class and the store in the
 * application's configuration:
 *
 * <pre>
 * spark.plugins            dev.blobshuffle.spark.BlobShufflePlugin
 * spark.blobshuffle.store  s3://bucket/prefix?region=eu-central-1
 * </pre>
 *
 * <p>Spark makes one instance per process.
 */
public final class BlobShufflePlugin implements SparkPlugin {
    /** Spark calls it. */
    public BlobShufflePlugin() {}

    @Override
    public DriverPlugin driverPlugin() {
        return new DriverSide();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorSide();
    }
}
