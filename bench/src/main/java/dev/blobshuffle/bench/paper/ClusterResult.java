package dev.blobshuffle.bench.paper;

import org.HdrHistogram.Histogram;

/**
 * The measurements of a {@link Deployment}, at its full size.
 *
 * @param deployment the cluster that ran
 * @param seconds of virtual time that were measured
 * @param records that were appended in that time, at the scale of the run
 * @param latency from the append of a record until it was read, microseconds
 * @param unordered the same without the time for which the notifications of a stored blob waited
 *     for those of earlier blobs
 * @param puts times of puts, microseconds
 * @param gets times of gets, microseconds
 * @param storedBytes bytes of blobs, at the scale of the run
 * @param fetchedBytes bytes that were read from the store, at the scale of the run
 * @param notifications that were sent in that time
 * @param cacheReads reads of caches of the zone, from the reader's own or another member's
 */
public record ClusterResult(
        Deployment deployment,
        double seconds,
        long records,
        Histogram latency,
        Histogram unordered,
        Histogram puts,
        Histogram gets,
        long storedBytes,
        long fetchedBytes,
        long notifications,
        long cacheReads) {
    private static final double MEBIBYTE = 1 << 20;
    private static final double GIBIBYTE = 1 << 30;
    private static final double MICROS = 1e6;

    /** Values per second, GiB, over all instances. Below the load, since commits wait. */
    public double gibibytesPerSecond() {
        return records / seconds * Deployment.VALUE_BYTES / GIBIBYTE * deployment.scale();
    }

    /** Puts per second. */
    public double putsPerSecond() {
        return puts.getTotalCount() / seconds;
    }

    /** Gets per second. */
    public double getsPerSecond() {
        return gets.getTotalCount() / seconds;
    }

    /** Notifications per second. */
    public double notificationsPerSecond() {
        return notifications / seconds;
    }

    /** Reads of caches per second. */
    public double cacheReadsPerSecond() {
        return cacheReads / seconds;
    }

    /** Mean size of a blob, as a share of its aim. */
    public double fill() {
        return storedBytes * deployment.scale() / puts.getTotalCount() / MEBIBYTE / deployment.targetMebibytes();
    }

    /** Bytes of blobs per byte of values. */
    public double overhead() {
        return storedBytes / ((double) records * Deployment.VALUE_BYTES);
    }

    /** Bytes read from the store per byte of values. */
    public double fetchedShare() {
        return fetchedBytes / ((double) records * Deployment.VALUE_BYTES);
    }

    /** A percentile of a histogram, in seconds. */
    public static double seconds(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / MICROS;
    }
}
