package dev.blobshuffle.bench.application;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * The measured part of a run. It begins after the warm-up and ends before the rest of the input
 * drains. Counters and latencies cover exactly this part. Records of the drain wait for batches
 * that no further records fill, which would add a latency tail that a steady load does not have.
 *
 * <p>Owned by the thread that reads the parent's orders.
 */
final class MeasuredWindow {
    private final Supplier<Counters> counters;
    private final Map<String, Supplier<Histogram>> latencies;
    private Counters before = Counters.none();
    private Properties measured = new Properties();
    private boolean isOver;

    /**
     * A window that has begun.
     *
     * @param counters reads all counters
     * @param latencies by name, each returns the latencies since its last call
     */
    MeasuredWindow(Supplier<Counters> counters, Map<String, Supplier<Histogram>> latencies) {
        this.counters = counters;
        this.latencies = new LinkedHashMap<>(latencies);
    }

    /** Begins again and drops the measurements of the warm-up. */
    void begin() {
        before = counters.get();
        for (Supplier<Histogram> since : latencies.values()) {
            Histogram ignored = since.get();
        }
        measured = new Properties();
        isOver = false;
    }

    /** Ends the window. Later calls change nothing. */
    void end() {
        if (isOver) {
            return;
        }
        isOver = true;
        measured = counters.get().since(before);
        latencies.forEach((name, since) -> measured.setProperty(name, Histograms.format(since.get())));
    }

    /** Counters and latencies of the window, which ends now if it has not. */
    Properties measured() {
        end();
        Properties copy = new Properties();
        copy.putAll(measured);
        return copy;
    }
}
