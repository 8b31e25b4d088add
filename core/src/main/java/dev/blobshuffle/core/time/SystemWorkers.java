package dev.blobshuffle.core.time;

import dev.blobshuffle.core.failure.ClosedException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A fixed number of named daemon threads. They start when tasks arrive and end after an idle
 * minute. Thread-safe.
 */
final class SystemWorkers implements Time.Workers {
    private final String name;
    private final ThreadPoolExecutor pool;

    SystemWorkers(String name, int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException(
                    "Cannot make workers '" + name + "': " + threads + " threads. Give 1 or more.");
        }
        this.name = name;
        AtomicInteger started = new AtomicInteger();
        pool = new ThreadPoolExecutor(
                threads,
                threads,
                1,
                TimeUnit.MINUTES,
                new LinkedBlockingQueue<>(),
                task -> SystemTime.daemon(name + "-" + started.incrementAndGet(), task));
        pool.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable task) {
        try {
            pool.execute(task);
        } catch (RejectedExecutionException e) {
            throw new ClosedException(
                    "Cannot run a task: the workers '" + name
                            + "' are closed. Give no work to a component that was closed.",
                    e);
        }
    }

    @Override
    public void close() {
        pool.shutdown();
        pool.getQueue().clear();
    }
}
