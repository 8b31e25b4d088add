package dev.blobshuffle.core.internal.retention;

import java.time.Duration;

/**
 * When an application sweeps.
 *
 * @param interval time between two sweeps, which is also the grace period
 * @param look time between two checks whether a sweep is due
 */
public record SweepTiming(Duration interval, Duration look) {
    private static final Duration USUAL_LOOK = Duration.ofMinutes(5);

    /** Checks that the checks are frequent enough. */
    public SweepTiming {
        if (look.isZero() || look.isNegative() || look.compareTo(interval) > 0) {
            throw new IllegalArgumentException(
                    "Cannot sweep every " + interval + ": it is looked at every " + look + ". Look more often.");
        }
    }

    /**
     * One sweep per interval, with the usual time between checks. For intervals of minutes or
     * longer.
     */
    public static SweepTiming every(Duration interval) {
        return new SweepTiming(interval, USUAL_LOOK);
    }
}
