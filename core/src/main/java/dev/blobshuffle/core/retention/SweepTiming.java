package dev.blobshuffle.core.retention;

import java.time.Duration;

/**
 * When an application sweeps.
 *
 * @param interval time between a listing and what is deleted of it: between two sweeps, and the grace period
 * @param look time after which the sweeper looks whether there is something to do
 */
public record SweepTiming(Duration interval, Duration look) {
    private static final Duration USUAL_LOOK = Duration.ofMinutes(5);

    /** Checks that it looks often enough. */
    public SweepTiming {
        if (look.isZero() || look.isNegative() || look.compareTo(interval) > 0) {
            throw new IllegalArgumentException(
                    "Cannot sweep every " + interval + ": it is looked at every " + look + ". Look more often.");
        }
    }

    /** A sweep after every interval of minutes. */
    public static SweepTiming every(Duration interval) {
        return new SweepTiming(interval, USUAL_LOOK);
    }
}
