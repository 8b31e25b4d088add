package dev.blobshuffle.core.internal.metrics;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A histogram of durations with fixed buckets, 32 per doubling. A percentile is at most 3.2 % above
 * the true one and never below it. Durations above about 73 minutes count as 73 minutes. It uses
 * constant memory (10 KiB), no locks and no allocation. Thread-safe; a reader concurrent with
 * writers sees some of their durations.
 */
public final class Distribution {
    private static final int SUB_BUCKET_BITS = 5;
    private static final int SUB_BUCKETS = 1 << SUB_BUCKET_BITS;
    private static final int TOP_EXPONENT = 41;
    private static final int BUCKETS = (TOP_EXPONENT - SUB_BUCKET_BITS + 2) * SUB_BUCKETS;

    private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);
    private final AtomicLong max = new AtomicLong();

    /** An empty distribution. */
    public Distribution() {}

    /** Counts one duration in nanoseconds; a negative one counts as 0. */
    public void record(long nanos) {
        long duration = Math.min(Math.max(nanos, 0), (1L << (TOP_EXPONENT + 1)) - 1);
        counts.incrementAndGet(bucket(duration));
        if (duration > max.get()) {
            max.accumulateAndGet(duration, Math::max);
        }
    }

    /** Adds the counts of another distribution. */
    void addAll(Distribution other) {
        for (int i = 0; i < BUCKETS; i++) {
            long count = other.counts.get(i);
            if (count > 0) {
                counts.addAndGet(i, count);
            }
        }
        max.accumulateAndGet(other.max.get(), Math::max);
    }

    /** Resets all counts. Durations recorded at the same time may be lost. */
    void clear() {
        max.set(0);
        for (int i = 0; i < BUCKETS; i++) {
            counts.set(i, 0);
        }
    }

    /** Number of durations. */
    public long count() {
        long count = 0;
        for (int i = 0; i < BUCKETS; i++) {
            count += counts.get(i);
        }
        return count;
    }

    /**
     * For each of several bounds, counts the durations up to that bound, in one pass.
     *
     * @param boundsMillis the bounds in ascending order, milliseconds
     * @param upTo receives the counts
     * @return the number of all durations
     */
    long countUpTo(long[] boundsMillis, long[] upTo) {
        long count = 0;
        int bound = 0;
        for (int i = 0; i < BUCKETS; i++) {
            while (bound < boundsMillis.length && last(i) > TimeUnit.MILLISECONDS.toNanos(boundsMillis[bound])) {
                upTo[bound++] = count;
            }
            count += counts.get(i);
        }
        while (bound < boundsMillis.length) {
            upTo[bound++] = count;
        }
        return count;
    }

    /**
     * The duration in nanoseconds that a share of all durations does not exceed; 0 if there are
     * none.
     *
     * @param share above 0, up to 1: 0.99 for the 99th percentile
     */
    public long percentile(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException(
                    "Cannot compute a percentile: the share is " + share + ". Give one in (0, 1].");
        }
        long rank = Math.max(1, (long) Math.ceil(count() * share));
        long seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += counts.get(i);
            if (seen >= rank) {
                return Math.min(last(i), max.get());
            }
        }
        return max.get();
    }

    /** The exact longest duration in nanoseconds; 0 if there are none. */
    public long max() {
        return max.get();
    }

    /**
     * The bucket of a value. Values below 32 have a bucket each. For larger values, the bucket is
     * given by the exponent and the 5 bits after the leading one.
     */
    private static int bucket(long value) {
        if (value < SUB_BUCKETS) {
            return (int) value;
        }
        int exponent = 63 - Long.numberOfLeadingZeros(value);
        int sub = (int) (value >>> (exponent - SUB_BUCKET_BITS)) & (SUB_BUCKETS - 1);
        return (exponent - SUB_BUCKET_BITS + 1) * SUB_BUCKETS + sub;
    }

    /** The largest value of a bucket. */
    private static long last(int bucket) {
        if (bucket < SUB_BUCKETS) {
            return bucket;
        }
        int shift = bucket / SUB_BUCKETS - 1;
        long first = (long) (SUB_BUCKETS + bucket % SUB_BUCKETS) << shift;
        return first + (1L << shift) - 1;
    }
}
