package dev.blobshuffle.bench.demo;

import dev.blobshuffle.bench.application.Histograms;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * How often each duration occurred, to two digits, so that histograms of several processes can be
 * added up. Owned by one thread.
 */
public final class LatencyHistogram {
    private static final long LONGEST_MICROS = 3_600_000_000L;
    private static final int DIGITS = 2;
    private static final double MICROS_PER_MILLI = 1000;

    private final Histogram micros;

    /** Nothing yet. */
    public LatencyHistogram() {
        this(new Histogram(LONGEST_MICROS, DIGITS));
    }

    private LatencyHistogram(Histogram micros) {
        this.micros = micros;
    }

    /**
     * Counts one duration in microseconds; a negative one counts as 0, one beyond an hour as an
     * hour.
     */
    public void record(long duration) {
        micros.recordValue(Math.min(Math.max(duration, 0), LONGEST_MICROS));
    }

    /** Adds the counts of another histogram. */
    void add(LatencyHistogram other) {
        micros.add(other.micros);
    }

    long count() {
        return micros.getTotalCount();
    }

    /**
     * The duration in milliseconds that a share of the durations does not exceed, above 0 and up to
     * 1; 0 if there are none.
     */
    public double percentileMillis(double share) {
        return micros.getValueAtPercentile(100 * share) / MICROS_PER_MILLI;
    }

    /**
     * The share of durations up to each duration that occurred, by that duration in milliseconds:
     * the points of a curve.
     */
    Map<Double, Double> cumulative() {
        Map<Double, Double> points = new TreeMap<>();
        micros.recordedValues()
                .forEach(value -> points.put(
                        value.getValueIteratedTo() / MICROS_PER_MILLI,
                        value.getTotalCountToThisValue() / (double) count()));
        return points;
    }

    /** The text that {@link #parse} reads. */
    String format() {
        return Histograms.format(micros);
    }

    /** The histogram that {@link #format} wrote. */
    static LatencyHistogram parse(String text) {
        return new LatencyHistogram(Histograms.parse(text));
    }
}
