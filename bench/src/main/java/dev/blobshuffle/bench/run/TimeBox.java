package dev.blobshuffle.bench.run;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What fits into a limited time, by how long the same thing took before, or else the longest of its kind, or else the longest of all. Owned by one thread.
 *
 * @param <T> what takes time
 */
final class TimeBox<T> {
    private final Optional<Long> deadline; // by System.nanoTime()
    private final Function<T, Object> kind;
    private final Map<T, Long> took = new HashMap<>();
    private final Map<Object, Long> kindTook = new HashMap<>();
    private long longest;

    private TimeBox(Optional<Long> deadline, Function<T, Object> kind) {
        this.deadline = deadline;
        this.kind = kind;
    }

    /** Everything fits. */
    static <T> TimeBox<T> unlimited() {
        return new TimeBox<>(Optional.empty(), something -> "");
    }

    /**
     * From now on for a time.
     *
     * @param kind things of one kind take about as long
     */
    static <T> TimeBox<T> of(Duration limit, Function<T, Object> kind) {
        return new TimeBox<>(Optional.of(System.nanoTime() + limit.toNanos()), kind);
    }

    boolean isLimited() {
        return deadline.isPresent();
    }

    /** Whether something seems to fit into what is left. */
    boolean hasRoomFor(T something) {
        long expected = took.getOrDefault(something, kindTook.getOrDefault(kind.apply(something), longest));
        return deadline.isEmpty() || System.nanoTime() + expected - deadline.get() < 0;
    }

    /** Takes note of how long something took. */
    void took(T something, long nanos) {
        took.merge(something, nanos, Math::max);
        kindTook.merge(kind.apply(something), nanos, Math::max);
        longest = Math.max(longest, nanos);
    }
}
