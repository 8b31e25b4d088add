package dev.blobshuffle.core.internal.owner;

import java.time.Duration;

/**
 * A value, and when it was seen first.
 *
 * @param since monotonic, in nanoseconds
 */
record Seen(String value, long since) {
    /** The same if the value is still there, else a new sight. */
    static Seen again(Seen before, String value, long now) {
        return before.value.equals(value) ? before : new Seen(value, now);
    }

    boolean isFor(Duration duration, long now) {
        return now - since >= duration.toNanos();
    }
}
