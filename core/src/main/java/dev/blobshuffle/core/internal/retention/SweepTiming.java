package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.owner.OwnerTiming;
import java.time.Duration;

/**
 * When an application sweeps.
 *
 * @param owners the durations of the owners' protocol, which decide how far steps are apart
 * @param look time between two checks whether a step is due
 */
public record SweepTiming(OwnerTiming owners, Duration look) {
    /** For steps of minutes or longer. */
    public static final SweepTiming USUAL = new SweepTiming(OwnerTiming.USUAL, Duration.ofMinutes(5));

    /** Checks that the checks are frequent enough. */
    public SweepTiming {
        if (look.isZero() || look.isNegative() || look.compareTo(owners.raise()) > 0) {
            throw new IllegalArgumentException("Cannot sweep with a look every " + look + ": two steps may be "
                    + owners.raise() + " apart. Look more often.");
        }
    }

    /** The timing of a test whose steps are so far apart. */
    public SweepTiming(Duration step, Duration look) {
        this(OwnerTiming.quick(step), look);
    }
}
