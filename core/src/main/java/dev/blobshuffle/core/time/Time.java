package dev.blobshuffle.core.time;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * The one source of time, chance, threads and waiting. Production uses {@link SystemTime}; a simulation puts a virtual clock and a seed in its
 * place and so runs the whole engine deterministically. Nothing in the engine calls {@code System.nanoTime}, {@code Thread.sleep}, a lock's
 * {@code wait} or a random source on its own. Thread-safe.
 */
public interface Time {
    /** Wall-clock time in milliseconds since the Unix epoch; may jump. */
    long wallMillis();

    /** Monotonic time in nanoseconds from an arbitrary origin; compare by difference only. */
    long nanos();

    /** A random number, uniform over all longs. */
    long randomLong();

    /** A new signal, on which threads wait for progress. */
    Signal signal();

    /**
     * Runs a short, non-blocking task once after a delay, on the timer's thread.
     *
     * @return a handle that cancels the task if it has not started
     */
    Cancellable schedule(Duration delay, Runnable task);

    /**
     * A bounded pool of named daemon threads for work that computes or blocks. Owned by the caller, who closes it.
     *
     * @param name prefix of the thread names, for example {@code blobshuffle-worker}
     * @param threads number of threads, 1 or more
     */
    Workers workers(String name, int threads);

    /**
     * Threads for calls that mostly wait for others: virtual ones where the JDK has them (21 and newer), and there the caller bounds their number; else {@link #workers}.
     *
     * @param name as with {@link #workers}
     * @param threads number of threads, where they are not virtual
     */
    default Workers blockingWorkers(String name, int threads) {
        return workers(name, threads);
    }

    /** A handle to a scheduled task. */
    interface Cancellable {
        /** Prevents the task from starting; does nothing if it has started or ended. */
        void cancel();
    }

    /** A pool of threads. Tasks start in the order in which they were given. The bound on queued tasks is the giver's: every task holds bytes of a budget. */
    interface Workers extends Executor, AutoCloseable {
        /** Stops accepting tasks, lets running tasks end and drops the others. Idempotent. */
        @Override
        void close();
    }
}
