package dev.blobshuffle.bench.soak;

import java.time.Duration;

/**
 * A steady load of long duration.
 *
 * @param duration of the run
 * @param interval between two samples
 * @param retention of the topics, so short that retention removes rows continuously
 * @param smallPerSecond records of 100 bytes per second and instance, small enough for the log
 *     itself
 * @param largePerSecond records of 16 KiB per second and instance, which go into blobs
 */
public record SoakPlan(
        Duration duration, Duration interval, Duration retention, int smallPerSecond, int largePerSecond) {
    static final int INSTANCES = 3;
    static final int GROUPS = 2;
    static final int PARTITIONS = 48;
    static final int SMALL_BYTES = 100;
    static final int LARGE_BYTES = 16 << 10;

    /** The longest wait of a batch. Each publisher commits about 20 times per second. */
    static final Duration BATCH_DELAY = Duration.ofMillis(50);

    /** Interval at which a publisher with a new name opens, publishes and closes. */
    static final Duration VISIT = Duration.ofSeconds(10);

    /** Checks that the verdict has samples to compare. */
    public SoakPlan {
        if (interval.isZero() || interval.isNegative() || duration.dividedBy(interval) < 4) {
            throw new IllegalArgumentException("Cannot compare the sizes of " + duration + " sampled every " + interval
                    + ": that is fewer than 4 samples. Run longer, or sample more often.");
        }
        if (smallPerSecond < 1 || largePerSecond < 1) {
            throw new IllegalArgumentException("Cannot publish " + smallPerSecond + " and " + largePerSecond
                    + " records per second. Use 1 or more.");
        }
    }
}
