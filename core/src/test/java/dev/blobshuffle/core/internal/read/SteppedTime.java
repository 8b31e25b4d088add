package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * A clock that only the test advances. Owned by one thread, which runs the timers and the blocking
 * calls.
 */
public final class SteppedTime implements Time, AutoCloseable {
    private final SystemTime system = new SystemTime();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>(Comparator.comparingLong(Timer::due));
    private long now;

    private record Timer(long due, Runnable task) {}

    /** Advances the clock and runs the timers that become due, each at its time. */
    public void advance(Duration by) {
        long end = now + by.toNanos();
        for (Timer next = timers.peek(); next != null && next.due <= end; next = timers.peek()) {
            timers.remove();
            now = next.due;
            next.task.run();
        }
        now = end;
    }

    /** Timers that have not run. */
    public int pending() {
        return timers.size();
    }

    @Override
    public long wallMillis() {
        return now / 1_000_000;
    }

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public long randomLong() {
        return system.randomLong();
    }

    @Override
    public Signal signal() {
        return system.signal();
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        Timer timer = new Timer(now + delay.toNanos(), task);
        timers.add(timer);
        return () -> timers.remove(timer);
    }

    @Override
    public Workers workers(String name, int threads) {
        return system.workers(name, threads);
    }

    @Override
    public Workers blockingWorkers(String name, int threads) {
        return new Workers() {
            @Override
            public void execute(Runnable task) {
                task.run();
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void close() {
        system.close();
    }
}
