package dev.blobshuffle.bench.demo;

import java.util.Arrays;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * How often each duration occurred, in microseconds, in buckets that are at most 1.6 % wide, so
 * that histograms of several processes can be added up. Owned by one thread.
 */
final class LatencyHistogram {
    private static final int SUB_BUCKET_BITS = 6;
    private static final int SUB_BUCKETS = 1 << SUB_BUCKET_BITS;
    private static final int TOP_EXPONENT = 40;
    private static final int BUCKETS = (TOP_EXPONENT - SUB_BUCKET_BITS + 2) * SUB_BUCKETS;

    private final long[] counts = new long[BUCKETS];

    /** Counts one duration; a negative one counts as 0. */
    void record(long micros) {
        counts[bucket(Math.min(Math.max(micros, 0), (1L << (TOP_EXPONENT + 1)) - 1))]++;
    }

    /** Adds what another histogram counted. */
    void add(LatencyHistogram other) {
        for (int i = 0; i < BUCKETS; i++) {
            counts[i] += other.counts[i];
        }
    }

    long count() {
        return Arrays.stream(counts).sum();
    }

    /**
     * The duration in milliseconds that a share, above 0 and up to 1, does not exceed; 0 when there
     * are none.
     */
    double percentileMillis(double share) {
        long rank = Math.max(1, (long) Math.ceil(count() * share));
        long seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += counts[i];
            if (seen >= rank) {
                return last(i) / 1000.0;
            }
        }
        return 0;
    }

    /**
     * The share of durations up to each bucket's end that has any, by that end in milliseconds: the
     * points of a curve.
     */
    Map<Double, Double> cumulative() {
        Map<Double, Double> points = new TreeMap<>();
        double total = count();
        long seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += counts[i];
            if (counts[i] > 0) {
                points.put(last(i) / 1000.0, seen / total);
            }
        }
        return points;
    }

    /** The text that {@link #parse} reads. */
    String format() {
        StringJoiner text = new StringJoiner(",");
        for (int i = 0; i < BUCKETS; i++) {
            if (counts[i] > 0) {
                text.add(i + ":" + counts[i]);
            }
        }
        return text.toString();
    }

    /** The histogram that {@link #format} wrote. */
    static LatencyHistogram parse(String text) {
        LatencyHistogram histogram = new LatencyHistogram();
        for (String entry : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            int colon = entry.indexOf(':');
            histogram.counts[Integer.parseInt(entry.substring(0, colon))] = Long.parseLong(entry.substring(colon + 1));
        }
        return histogram;
    }

    private static int bucket(long value) {
        if (value < SUB_BUCKETS) {
            return (int) value;
        }
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(value);
        int sub = (int) (value >>> (exponent - SUB_BUCKET_BITS)) & (SUB_BUCKETS - 1);
        return (exponent - SUB_BUCKET_BITS + 1) * SUB_BUCKETS + sub;
    }

    private static long last(int bucket) {
        if (bucket < SUB_BUCKETS) {
            return bucket;
        }
        int shift = bucket / SUB_BUCKETS - 1;
        long first = (long) (SUB_BUCKETS + bucket % SUB_BUCKETS) << shift;
        return first + (1L << shift) - 1;
    }
}
