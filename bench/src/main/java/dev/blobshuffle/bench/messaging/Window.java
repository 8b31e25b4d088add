package dev.blobshuffle.bench.messaging;

import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * The measured part of a run, by the due times of records. Times are microseconds of the monotonic
 * clock, which all processes of a machine share. Thread-safe.
 */
final class Window {
    private static final int DIGITS = 3;
    private static final long NANOS_PER_MICRO = 1000;

    private final Histogram published = new ConcurrentHistogram(DIGITS);
    private volatile long begin = Long.MAX_VALUE;
    private volatile long end = Long.MAX_VALUE;

    static long nowMicros() {
        return System.nanoTime() / NANOS_PER_MICRO;
    }

    /** An empty histogram of microseconds. */
    static Histogram histogram() {
        return new Histogram(DIGITS);
    }

    void begin() {
        begin = nowMicros();
    }

    void end() {
        end = nowMicros();
    }

    /** Whether a record with this due time is measured. */
    boolean holds(long dueMicros) {
        return dueMicros >= begin && dueMicros < end;
    }

    /** Records that a record with this due time is now durable. */
    void publish(long dueMicros) {
        if (holds(dueMicros)) {
            published.recordValue(Math.max(0, nowMicros() - dueMicros));
        }
    }

    /** Durations of publishes, from their due times. */
    Histogram published() {
        return published.copy();
    }
}
