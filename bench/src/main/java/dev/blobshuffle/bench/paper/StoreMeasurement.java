package dev.blobshuffle.bench.paper;

import dev.blobshuffle.bench.workload.RecordProbe;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The requests to a store that began within a span of virtual time. Guarded by the simulation's
 * baton.
 */
final class StoreMeasurement {
    private final long begin;
    private final long end;
    private final Histogram puts = RecordProbe.histogram();
    private final Histogram gets = RecordProbe.histogram();
    private long putBytes;
    private long gotBytes;

    /**
     * @param begin of the span, on the clock of the requests, nanoseconds
     * @param end of the span, after its last nanosecond
     */
    StoreMeasurement(long begin, long end) {
        this.begin = begin;
        this.end = end;
    }

    void put(long start, long nanos, long bytes) {
        if (isWithin(start)) {
            puts.recordValue(TimeUnit.NANOSECONDS.toMicros(nanos));
            putBytes += bytes;
        }
    }

    void get(long start, long nanos, long bytes) {
        if (isWithin(start)) {
            gets.recordValue(TimeUnit.NANOSECONDS.toMicros(nanos));
            gotBytes += bytes;
        }
    }

    /** The monotonic clock overflows, so only differences compare. */
    private boolean isWithin(long start) {
        return start - begin >= 0 && start - end < 0;
    }

    /** Times of puts, microseconds. */
    Histogram puts() {
        return puts;
    }

    /** Times of gets, microseconds. */
    Histogram gets() {
        return gets;
    }

    long putBytes() {
        return putBytes;
    }

    long gotBytes() {
        return gotBytes;
    }
}
