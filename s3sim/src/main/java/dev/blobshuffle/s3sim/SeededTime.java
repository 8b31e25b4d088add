package dev.blobshuffle.s3sim;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.SplittableRandom;

/** The machine's clocks and threads, with seeded random numbers. Thread-safe. */
final class SeededTime implements Time, AutoCloseable {
    private final SystemTime system = new SystemTime();
    private final SplittableRandom random;

    SeededTime(long seed) {
        random = new SplittableRandom(seed);
    }

    @Override
    public long wallMillis() {
        return system.wallMillis();
    }

    @Override
    public long nanos() {
        return system.nanos();
    }

    @Override
    public long randomLong() {
        synchronized (random) {
            return random.nextLong();
        }
    }

    @Override
    public Signal signal() {
        return system.signal();
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        return system.schedule(delay, task);
    }

    @Override
    public Workers workers(String name, int threads) {
        return system.workers(name, threads);
    }

    @Override
    public void close() {
        system.close();
    }
}
