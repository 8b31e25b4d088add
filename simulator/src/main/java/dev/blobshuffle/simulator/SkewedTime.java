package dev.blobshuffle.simulator;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;

/**
 * The time of a process whose wall clock is wrong. As safe for threads as the time below it.
 *
 * @param time with the right wall clock
 * @param skew how far the process's wall clock is ahead; negative if it is behind
 */
public record SkewedTime(Time time, Duration skew) implements Time {
    @Override
    public long wallMillis() {
        return time.wallMillis() + skew.toMillis();
    }

    @Override
    public long nanos() {
        return time.nanos();
    }

    @Override
    public long randomLong() {
        return time.randomLong();
    }

    @Override
    public Signal signal() {
        return time.signal();
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        return time.schedule(delay, task);
    }

    @Override
    public Workers workers(String name, int threads) {
        return time.workers(name, threads);
    }
}
