package dev.blobshuffle.bench.workload;

import java.nio.ByteBuffer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * Statistics of numbers, 40 bytes as in Theodolite.
 *
 * @param count numbers
 * @param mean of them
 * @param squares sum of the squared distances from the mean
 * @param min the least
 * @param max the largest
 */
record Stats(long count, double mean, double squares, double min, double max) {
    static final Stats NONE = new Stats(0, 0, 0, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);

    static final Serde<Stats> SERDE = Serdes.serdeFrom(
            (topic, stats) -> stats == null ? null : stats.bytes(), (topic, bytes) -> bytes == null ? null : of(bytes));

    /** With one more number (Welford's method). */
    Stats plus(double number) {
        double distance = number - mean;
        double nextMean = mean + distance / (count + 1);
        return new Stats(
                count + 1,
                nextMean,
                squares + distance * (number - nextMean),
                Math.min(min, number),
                Math.max(max, number));
    }

    double sum() {
        return mean * count;
    }

    private byte[] bytes() {
        return ByteBuffer.allocate(5 * Long.BYTES)
                .putLong(count)
                .putDouble(mean)
                .putDouble(squares)
                .putDouble(min)
                .putDouble(max)
                .array();
    }

    static Stats of(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Stats(
                buffer.getLong(), buffer.getDouble(), buffer.getDouble(), buffer.getDouble(), buffer.getDouble());
    }
}
