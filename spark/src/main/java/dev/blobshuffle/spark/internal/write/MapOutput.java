package dev.blobshuffle.spark.internal.write;

import java.nio.file.Path;

/**
 * The output of one attempt of a map, as Spark's writer left it: one file, partition after
 * partition.
 *
 * @param shuffle the shuffle
 * @param map index of the map in its stage
 * @param attempt the attempt's number, unique in the application
 * @param file the file; another file may take its name only for the same attempt
 * @param lengths bytes of each partition
 * @param release deletes the file; it runs after the upload unless the executor keeps a copy
 */
public record MapOutput(int shuffle, long map, long attempt, Path file, long[] lengths, Runnable release) {
    /** All bytes. */
    long bytes() {
        long sum = 0;
        for (long length : lengths) {
            sum += length;
        }
        return sum;
    }

    /** Partitions that are not empty: the segments of a blob. */
    int segments() {
        int count = 0;
        for (long length : lengths) {
            if (length > 0) {
                count++;
            }
        }
        return count;
    }
}
