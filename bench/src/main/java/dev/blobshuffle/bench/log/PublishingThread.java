package dev.blobshuffle.bench.log;

import dev.blobshuffle.core.time.Time;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;

/** Commits one after the other until it is stopped. */
final class PublishingThread implements Callable<Histogram> {
    private static final long LONGEST_MICROS = 60_000_000;
    private static final int DIGITS = 2;
    private static final long NANOS_PER_MICRO = 1000;

    private final MeasuredLog.Commits commits;
    private final byte[] entries;
    private final AtomicReference<Phase> phase;
    private final Time time;
    private final AtomicLong acknowledged = new AtomicLong();

    PublishingThread(MeasuredLog.Commits commits, byte[] entries, AtomicReference<Phase> phase, Time time) {
        this.commits = commits;
        this.entries = entries;
        this.phase = phase;
        this.time = time;
    }

    /** The phase of a run. */
    enum Phase {
        /** Commits do not count yet. */
        WARM_UP,
        /** Commits count. */
        MEASURED,
        /** No thread begins another commit. */
        OVER
    }

    /** Commits that the database has acknowledged so far. */
    long acknowledged() {
        return acknowledged.get();
    }

    /** Commits, and returns the durations of the commits of the measured phase, in microseconds. */
    @Override
    public Histogram call() throws SQLException {
        Histogram micros = new Histogram(LONGEST_MICROS, DIGITS);
        for (Phase now = phase.get(); now != Phase.OVER; now = phase.get()) {
            long number = acknowledged.get();
            LogCheck.number(entries, number);
            long start = time.nanos();
            commits.commit(number, entries);
            if (now == Phase.MEASURED) {
                micros.recordValue(Math.min((time.nanos() - start) / NANOS_PER_MICRO, LONGEST_MICROS));
            }
            acknowledged.incrementAndGet();
        }
        return micros;
    }
}
