package dev.blobshuffle.core.internal.resilience;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * Recent latencies of requests, by kind and size. The size classes double from 64 KiB, because a
 * request of 16 MiB normally takes longer than one of 64 KiB. Every successful request counts with
 * its full time, even if its caller has abandoned it. Otherwise abandoned slow requests would make
 * the store look fast. Thread-safe.
 */
public final class RequestLatencies {
    private static final int SMALLEST_BITS = 16;
    private static final int CLASSES = 16;

    private final List<LatencyWindow> puts = windows();
    private final List<LatencyWindow> gets = windows();

    /** No latencies yet. */
    public RequestLatencies() {}

    private static List<LatencyWindow> windows() {
        List<LatencyWindow> windows = new ArrayList<>();
        IntStream.range(0, CLASSES).forEach(i -> windows.add(new LatencyWindow()));
        return windows;
    }

    void record(Kind kind, long bytes, long nanos) {
        if (kind != Kind.OTHER) {
            window(kind, bytes).record(nanos);
        }
    }

    /**
     * The 95th percentile in nanoseconds, of requests of that kind and size; empty with too few
     * samples.
     */
    OptionalLong p95(Kind kind, long bytes) {
        return kind == Kind.OTHER ? OptionalLong.empty() : window(kind, bytes).p95();
    }

    /** The 99th percentile, as {@link #p95}. */
    OptionalLong p99(Kind kind, long bytes) {
        return kind == Kind.OTHER ? OptionalLong.empty() : window(kind, bytes).p99();
    }

    /**
     * Whether such requests take more than twice their usual time. Then the whole store is slow,
     * not just single requests.
     */
    boolean areSlow(Kind kind, long bytes) {
        return kind != Kind.OTHER && window(kind, bytes).isSlow();
    }

    private LatencyWindow window(Kind kind, long bytes) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, bytes - 1) >>> SMALLEST_BITS);
        return (kind == Kind.PUT ? puts : gets).get(Math.min(bits, CLASSES - 1));
    }
}
