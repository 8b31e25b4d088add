package dev.blobshuffle.core.internal.owner;

import java.time.Duration;
import java.util.Optional;

/**
 * The durations of the protocol, the same for all members of a store.
 *
 * @param check each live instance begins and ends a check in this time
 * @param raise a live cluster changes its line, or its doubt, in this time
 * @param reserve what a sweep waits beyond the promised bound
 * @param bound in place of promised bounds, for tests whose notifications follow their blobs at
 *     once
 */
public record OwnerTiming(Duration check, Duration raise, Duration reserve, Optional<Duration> bound) {
    /** What BlobShuffle uses. */
    public static final OwnerTiming USUAL =
            new OwnerTiming(Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ofMinutes(15));

    /** The durations for promised bounds. */
    public OwnerTiming(Duration check, Duration raise, Duration reserve) {
        this(check, raise, reserve, Optional.empty());
    }

    /** The durations of a test whose steps are so far apart. */
    public static OwnerTiming quick(Duration step) {
        return new OwnerTiming(step.dividedBy(3), step, Duration.ZERO, Optional.of(Duration.ZERO));
    }

    /** Checks that every live instance is heard between two steps of a sweep. */
    public OwnerTiming {
        if (raise.compareTo(check.multipliedBy(3)) < 0) {
            throw new IllegalArgumentException(
                    "Cannot raise every " + raise + ": two instances in doubt may leave a token for two checks of "
                            + check + ". Use three of them or more.");
        }
    }

    /** How old its last check may be when an instance stores a blob. */
    public Duration storesFor() {
        return check.multipliedBy(2);
    }

    /** How long a smaller promise is announced before it holds. */
    Duration announces(Promise old) {
        return bound.orElse(old.bound()).plus(check.multipliedBy(2)).plus(reserve);
    }

    /** How far apart two steps of a sweep are at least. */
    public Duration waits(Promise promise) {
        Duration wait = bound.orElse(promise.bound()).plus(reserve);
        return wait.compareTo(raise) >= 0 ? wait : raise;
    }
}
