package dev.blobshuffle.core.internal.owner;

import java.time.Duration;
import java.util.Optional;

/**
 * The durations of the protocol, the same for all members of a store.
 *
 * @param check the interval in which each live instance begins and ends a check
 * @param raise the interval in which a live cluster changes its line or its doubt
 * @param reserve the time that a sweep waits beyond the promised bound
 * @param bound replaces promised bounds, for tests whose notifications follow their blobs at once
 */
public record OwnerTiming(Duration check, Duration raise, Duration reserve, Optional<Duration> bound) {
    /** The durations in production. */
    public static final OwnerTiming USUAL =
            new OwnerTiming(Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ofMinutes(15));

    /** Durations that use the promised bounds. */
    public OwnerTiming(Duration check, Duration raise, Duration reserve) {
        this(check, raise, reserve, Optional.empty());
    }

    /** The durations of a test, from the time between two steps. */
    public static OwnerTiming quick(Duration step) {
        return new OwnerTiming(step.dividedBy(3), step, Duration.ZERO, Optional.of(Duration.ZERO));
    }

    /** Checks that every live instance writes between two steps of a sweep. */
    public OwnerTiming {
        if (raise.compareTo(check.multipliedBy(3)) < 0) {
            throw new IllegalArgumentException(
                    "Cannot raise every " + raise + ": two instances in doubt may leave a token for two checks of "
                            + check + ". Use three of them or more.");
        }
    }

    /** The maximum age of an instance's last check when it stores a blob. */
    public Duration storesFor() {
        return check.multipliedBy(2);
    }

    /** The time from the announcement of a smaller promise until it holds. */
    Duration announces(Promise old) {
        return bound.orElse(old.bound()).plus(check.multipliedBy(2)).plus(reserve);
    }

    /** The minimum time between two steps of a sweep. */
    public Duration waits(Promise promise) {
        Duration wait = bound.orElse(promise.bound()).plus(reserve);
        return wait.compareTo(raise) >= 0 ? wait : raise;
    }
}
