package dev.blobshuffle.core.internal.write.options;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.time.Duration;

/**
 * The latency that the adaptive mode of a Batcher aims at: the p95 from append until a reader has
 * the record.
 *
 * @param latency the p95 to meet
 * @param hidden time between two commits, if records become visible only at a commit
 *     (exactly-once); zero: records are visible at once
 */
public record LatencyTarget(Duration latency, Duration hidden) {
    /** Checks that the latency is positive. */
    public LatencyTarget {
        if (latency.isNegative() || latency.isZero() || hidden.isNegative()) {
            throw new InvalidSettingsException("Cannot batch: batch.target.latency.ms is " + latency.toMillis()
                    + ", with commits every " + hidden.toMillis() + " ms. Give 1 or more.");
        }
    }

    /** A target for records that are visible at once. */
    public static LatencyTarget of(Duration latency) {
        return new LatencyTarget(latency, Duration.ZERO);
    }
}
