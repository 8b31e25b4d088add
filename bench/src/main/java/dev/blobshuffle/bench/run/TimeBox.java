package dev.blobshuffle.bench.run;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What fits into a limited time, by how long the same thing took before, or else the longest of all. Owned by one thread. */
final class TimeBox<T> {
    private final Optional<Long> deadline; // by System.nanoTime()
    private final Map<T, Long> took = new HashMap<>();
    private long longest;

    private TimeBox(Optional<Long> deadline) {
        this.deadline = deadline;
    }

    /** Everything fits. */
    static <T> TimeBox<T> unlimited() {
        return new TimeBox<>(Optional.empty());
    }

    /** From now on for a time. */
    static <T> TimeBox<T> of(Duration limit) {
        return new TimeBox<>(Optional.of(System.nanoTime() + limit.toNanos()));
    }

    boolean isLimited() {
        return deadline.isPresent();
    }

    /** Whether something seems to fit into what is left. */
    boolean hasRoomFor(T something) {
        long expected = took.getOrDefault(something, longest);
        return deadline.isEmpty() || System.nanoTime() + expected - deadline.get() < 0;
    }

    /** Takes note of how long something took. */
    void took(T something, long nanos) {
        took.merge(something, nanos, Math::max);
        longest = Math.max(longest, nanos);
    }
}
