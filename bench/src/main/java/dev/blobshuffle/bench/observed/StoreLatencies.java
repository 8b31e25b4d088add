package dev.blobshuffle.bench.observed;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * How long the requests of this process to its store took that succeeded, in microseconds: as
 * histograms, so that those of several processes can be added up, which percentiles cannot. One for
 * each process, because nobody who could pass one on stands between an application's settings and
 * its store. Thread-safe.
 */
public final class StoreLatencies {
    private static final long LONGEST_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final int DIGITS = 3;

    /** Those of this process. */
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

    /** Of puts, since this was asked last. */
    public Histogram puts() {
        return puts.getIntervalHistogram();
    }

    /** Of gets, since this was asked last. */
    public Histogram gets() {
        return gets.getIntervalHistogram();
    }
}
