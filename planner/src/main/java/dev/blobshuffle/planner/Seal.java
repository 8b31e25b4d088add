package dev.blobshuffle.planner;

import java.util.List;

/**
 * One kind of seal of a batch: its rate and the resulting blobs.
 *
 * @param perSecond rate for one Batcher
 * @param seconds fill time of the batch
 * @param records records in the batch, over all zones
 * @param bytes stored bytes in the batch, over all zones
 * @param blobs for each blob, the bytes of its sections; empty if the batch is inlined
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
