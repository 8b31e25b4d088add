package dev.blobshuffle.spark;

import dev.blobshuffle.spark.internal.BlobShuffle;
import org.apache.spark.SparkConf;

/**
 * The shuffle manager that an application of Spark 3.5 names beside the plug-in. From Spark 4.0 on
 * the plug-in is enough:
 *
 * <pre>
 * spark.shuffle.manager  dev.blobshuffle.spark.Spark35Shuffle
 * </pre>
 */
public final class Spark35Shuffle extends BlobShuffle {
    /** Spark calls it. */
    public Spark35Shuffle(SparkConf conf) {
        super(conf);
    }
}
