package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.owner.OwnerTiming;
import java.time.Duration;

/**
 * The timing of an application's sweeps.
 *
 * @param owners the durations of the owners' protocol, which determine the time between steps
 * @param look the time between two checks whether a step is due
 */
public record SweepTiming(OwnerTiming owners, Duration look) {
    /** The timing in production, for steps of minutes or longer. */
    public static final SweepTiming USUAL = new SweepTiming(OwnerTiming.USUAL, Duration.ofMinutes(5));

    /** Checks that the checks are frequent enough. */
    public SweepTiming {
        if (look.isZero() || look.isNegative() || look.compareTo(owners.raise()) > 0) {
            throw new IllegalArgumentException("Cannot sweep with a look every " + look + ": two steps may be "
                    + owners.raise() + " apart. Look more often.");
        }
    }

    /** The timing of a test, from the time between two steps. */
    public SweepTiming(Duration step, Duration look) {
        this(OwnerTiming.quick(step), look);
    }
}
