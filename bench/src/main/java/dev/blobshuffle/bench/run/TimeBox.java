package dev.blobshuffle.bench.run;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * What fits into a limited time, by how long the same thing took before, or else the longest of its
 * kind, or else a guess, or else the longest of all. Owned by one thread.
 *
 * @param <T> what takes time
 */
final class TimeBox<T> {
    private final Optional<Long> deadline; // by System.nanoTime()
    private final Function<T, Object> kind;
    private final ToLongFunction<T> guess;
    private final Map<T, Long> took = new HashMap<>();
    private final Map<Object, Long> kindTook = new HashMap<>();
    private long longest;

    private TimeBox(Optional<Long> deadline, Function<T, Object> kind, ToLongFunction<T> guess) {
        this.deadline = deadline;
        this.kind = kind;
        this.guess = guess;
    }

    /** Everything fits. */
    static <T> TimeBox<T> unlimited() {
        return new TimeBox<>(Optional.empty(), something -> "", something -> 0);
    }

    /**
     * From now on for a time.
     *
     * @param kind things of one kind take about as long
     * @param guess nanoseconds that the first of a kind may take, 0 if nobody knows
     */
    static <T> TimeBox<T> of(Duration limit, Function<T, Object> kind, ToLongFunction<T> guess) {
        return new TimeBox<>(Optional.of(System.nanoTime() + limit.toNanos()), kind, guess);
    }

    boolean isLimited() {
        return deadline.isPresent();
    }

    /** Whether something seems to fit into what is left. */
    boolean hasRoomFor(T something) {
        return deadline.isEmpty() || System.nanoTime() + expected(something) - deadline.get() < 0;
    }

    private long expected(T something) {
        long guessed = guess.applyAsLong(something);
        return took.getOrDefault(
                something, kindTook.getOrDefault(kind.apply(something), guessed > 0 ? guessed : longest));
    }

    /** Takes note of how long something took. */
    void took(T something, long nanos) {
        took.merge(something, nanos, Math::max);
        kindTook.merge(kind.apply(something), nanos, Math::max);
        longest = Math.max(longest, nanos);
    }
}
