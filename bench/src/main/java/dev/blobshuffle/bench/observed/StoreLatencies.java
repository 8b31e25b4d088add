package dev.blobshuffle.bench.observed;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * The durations of this process's successful requests to its store, in microseconds. They are
 * histograms, because histograms of several processes can be added, unlike percentiles. Each
 * process has one instance, because an application opens its store from settings, which cannot pass
 * an object. Thread-safe.
 */
public final class StoreLatencies {
    private static final long LONGEST_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final int DIGITS = 3;

    /** The latencies of this process. */
    public static final StoreLatencies OF_THIS_PROCESS = new StoreLatencies();

    private final Recorder puts = new Recorder(LONGEST_MICROS, DIGITS);
    private final Recorder gets = new Recorder(LONGEST_MICROS, DIGITS);

    StoreLatencies() {}

    void put(long nanos) {
        puts.recordValue(micros(nanos));
    }

    void get(long nanos) {
        gets.recordValue(micros(nanos));
    }

    private static long micros(long nanos) {
        return Math.min(Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos)), LONGEST_MICROS);
    }

    /** Latencies of puts since the last call. */
    public Histogram puts() {
        return puts.getIntervalHistogram();
    }

    /** Latencies of gets since the last call. */
    public Histogram gets() {
        return gets.getIntervalHistogram();
    }
}
