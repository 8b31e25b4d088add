package dev.blobshuffle.core.internal.metrics;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The durations of the last 30 to 60 s, windowed like Kafka's sampled metrics by default. A sample
 * covers 30 s ({@code metrics.sample.window.ms}); the current and the previous one count ({@code
 * metrics.num.samples} is 2). Memory is constant; recording takes no lock and allocates nothing. A
 * duration may be lost if another thread starts a new sample at the same moment. Thread-safe.
 */
final class RecentDistribution {
    private static final int SAMPLES = 2;
    private static final long SAMPLE_NANOS = 30_000_000_000L;

    private final LongSupplier nanoClock;
    private final long begin;
    private final List<Sample> samples =
            Stream.generate(Sample::new).limit(SAMPLES).toList();

    /** @param nanoClock a monotonic clock, nanoseconds */
    RecentDistribution(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.begin = nanoClock.getAsLong();
    }

    /** The durations of one span of time. */
    private static final class Sample {
        /** The number of the span. Each of the two samples takes every other span. */
        private final AtomicLong span = new AtomicLong();

        private final Distribution durations = new Distribution();
    }

    /** Counts one duration in nanoseconds. */
    void record(long nanos) {
        long now = span();
        Sample sample = samples.get((int) (now % SAMPLES));
        long before = sample.span.get();
        if (before < now && sample.span.compareAndSet(before, now)) {
            sample.durations.clear();
        }
        sample.durations.record(nanos);
    }

    /** A copy of the durations that currently count. */
    Distribution recent() {
        long now = span();
        Distribution recent = new Distribution();
        for (Sample sample : samples) {
            if (now - sample.span.get() < SAMPLES) {
                recent.addAll(sample.durations);
            }
        }
        return recent;
    }

    private long span() {
        return Math.max(0, nanoClock.getAsLong() - begin) / SAMPLE_NANOS;
    }
}
