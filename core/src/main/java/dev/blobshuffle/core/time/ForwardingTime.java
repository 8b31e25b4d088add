package dev.blobshuffle.core.time;

import java.time.Duration;

/**
 * Clocks, random numbers and threads that forward every call to others. Extend it to change some of
 * them. As thread-safe as what it forwards to.
 */
public abstract class ForwardingTime implements Time {
    private final Time time;

    /** Forwards to other clocks, random numbers and threads. */
    protected ForwardingTime(Time time) {
        this.time = time;
    }

    @Override
    public long wallMillis() {
        return time.wallMillis();
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

    @Override
    public Workers blockingWorkers(String name, int threads) {
        return time.blockingWorkers(name, threads);
    }
}
