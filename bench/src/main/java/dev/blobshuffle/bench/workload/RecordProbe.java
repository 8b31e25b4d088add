package dev.blobshuffle.bench.workload;

import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Counts and sums up the records that one stream thread sees after the shuffle. Owned by its
 * thread; its numbers are read by any.
 */
public final class RecordProbe {
    private static final long LONGEST_MICROS = 3_600_000_000L;
    private static final int DIGITS = 3;

    private final CRC32C scratch = new CRC32C();
    private final AtomicLong count = new AtomicLong();
    private final SingleWriterRecorder latencies = new SingleWriterRecorder(LONGEST_MICROS, DIGITS);
    private long checksum; // published by count

    RecordProbe() {}

    /** An empty histogram of microseconds, to which others can be added. */
    public static Histogram histogram() {
        return new Histogram(LONGEST_MICROS, DIGITS);
    }

    /** A checksum that may be used between two calls of this object. */
    CRC32C scratch() {
        return scratch;
    }

    /** Counts a record. */
    void add(long recordChecksum, long latencyMicros) {
        checksum += recordChecksum;
        latencies.recordValue(Math.min(Math.max(latencyMicros, 0), LONGEST_MICROS));
        count.lazySet(count.getPlain() + 1);
    }

    long count() {
        return count.get();
    }

    /** The sum over the records that {@link #count} counts, if none is on its way. */
    long checksum() {
        count.get();
        return checksum;
    }

    /** Latencies since the last call. */
    Histogram latencies() {
        return latencies.getIntervalHistogram();
    }
}
