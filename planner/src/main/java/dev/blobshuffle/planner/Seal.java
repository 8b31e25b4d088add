package dev.blobshuffle.planner;

import java.util.List;

/**
 * One kind of seal of a batch: how often it happens, and what blobs come of it.
 *
 * @param perSecond how often, for one Batcher
 * @param seconds how long the batch filled
 * @param records records in it, all zones together
 * @param bytes stored bytes in it, all zones together
 * @param blobs the blobs: bytes of the sections in each; empty if the batch is inlined
 */
record Seal(double perSecond, double seconds, double records, double bytes, List<List<Double>> blobs) {
    boolean isInlined() {
        return blobs.isEmpty();
    }

    double sections() {
        return blobs.stream().mapToInt(List::size).sum();
    }

    static double bytesOf(List<Double> blob) {
        return blob.stream().mapToDouble(Double::doubleValue).sum();
    }
}
