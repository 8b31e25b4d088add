package dev.blobshuffle.bench.run;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Decides whether work fits into a limited time. Its estimate is the longest duration of the same
 * work so far, else the longest of its kind, else a guess, else the longest of all. Owned by one
 * thread.
 *
 * @param <T> the work
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

    /** A time box without a limit. */
    static <T> TimeBox<T> unlimited() {
        return new TimeBox<>(Optional.empty(), something -> "", something -> 0);
    }

    /**
     * A time box that begins now.
     *
     * @param kind maps work to its kind; work of one kind takes about the same time
     * @param guess nanoseconds that the first of a kind may take; 0 if unknown
     */
    static <T> TimeBox<T> of(Duration limit, Function<T, Object> kind, ToLongFunction<T> guess) {
        return new TimeBox<>(Optional.of(System.nanoTime() + limit.toNanos()), kind, guess);
    }

    boolean isLimited() {
        return deadline.isPresent();
    }

    /** Whether work seems to fit into the remaining time. */
    boolean hasRoomFor(T something) {
        return deadline.isEmpty() || System.nanoTime() + expected(something) - deadline.get() < 0;
    }

    private long expected(T something) {
        long guessed = guess.applyAsLong(something);
        return took.getOrDefault(
                something, kindTook.getOrDefault(kind.apply(something), guessed > 0 ? guessed : longest));
    }

    /** Records the duration of work. */
    void took(T something, long nanos) {
        took.merge(something, nanos, Math::max);
        kindTook.merge(kind.apply(something), nanos, Math::max);
        longest = Math.max(longest, nanos);
    }
}
