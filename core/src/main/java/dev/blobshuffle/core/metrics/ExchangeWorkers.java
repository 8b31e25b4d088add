package dev.blobshuffle.core.metrics;

import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The threads of an HTTP server, which knows no limits of its own: few threads, few requests that wait for them, and an end for each after a while, since a client that sends or takes its bytes
 * slowly would keep a thread for ever. The server closes the connection of a task that is refused. Thread-safe. Owned by the endpoint.
 */
final class ExchangeWorkers implements Executor, AutoCloseable {
    private final Time time;
    private final Time.Workers workers;
    private final Duration limit;
    private final Semaphore places;

    /**
     * Threads for a server.
     *
     * @param threads how many requests are answered at once
     * @param waiting how many more may wait
     * @param limit the longest that one may take once it is its turn
     */
    ExchangeWorkers(Time time, int threads, int waiting, Duration limit) {
        this.time = time;
        this.workers = time.workers("blobshuffle-metrics", threads);
        this.limit = limit;
        this.places = new Semaphore(threads + waiting);
    }

    @Override
    public void execute(Runnable exchange) {
        if (!places.tryAcquire()) {
            throw new RejectedExecutionException("Cannot answer: too many requests wait. Ask again.");
        }
        try {
            workers.execute(() -> run(exchange));
        } catch (RuntimeException | Error e) {
            places.release();
            throw e;
        }
    }

    private void run(Runnable exchange) {
        Turn turn = new Turn();
        Time.Cancellable end = time.schedule(limit, turn::interrupt);
        try {
            exchange.run();
        } finally {
            end.cancel();
            turn.end();
            places.release();
        }
    }

    /** Requests that are answered or wait drop out; their connections are the server's. Idempotent. */
    @Override
    public void close() {
        workers.close();
    }

    /** The time in which a thread works on one request. Guarded by itself, so that an interrupt never meets the next request. */
    private static final class Turn {
        private @Nullable Thread thread = Thread.currentThread();

        /** Closes the connection that the thread reads from or writes to. */
        synchronized void interrupt() {
            if (thread != null) {
                thread.interrupt();
            }
        }

        synchronized void end() {
            thread = null;
            Thread.interrupted(); // It may have come at the last moment.
        }
    }
}
