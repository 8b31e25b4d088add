package dev.blobshuffle.core.internal.owner;

import java.time.Duration;

/**
 * A value, and the time at which it was first seen.
 *
 * @param since monotonic, in nanoseconds
 */
record Seen(String value, long since) {
    /** Returns the previous sighting if the value is the same, otherwise a new one. */
    static Seen again(Seen before, String value, long now) {
        return before.value.equals(value) ? before : new Seen(value, now);
    }

    boolean isFor(Duration duration, long now) {
        return now - since >= duration.toNanos();
    }
}
