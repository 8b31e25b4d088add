package dev.blobshuffle.core.internal.owner;

import java.time.Duration;

/**
 * The durations of the protocol, the same for all members of a store.
 *
 * @param check each live instance begins and ends a check in this time
 * @param raise a live cluster changes its line, or its doubt, in this time
 * @param reserve what a sweep waits beyond the promised bound
 */
public record OwnerTiming(Duration check, Duration raise, Duration reserve) {
    /** What BlobShuffle uses. */
    public static final OwnerTiming USUAL =
            new OwnerTiming(Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ofMinutes(15));

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
        return old.bound().plus(check.multipliedBy(2)).plus(reserve);
    }

    /** How far apart two steps of a sweep are at least. */
    Duration waits(Promise promise) {
        Duration wait = promise.bound().plus(reserve);
        return wait.compareTo(raise) >= 0 ? wait : raise;
    }
}
