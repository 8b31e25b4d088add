package dev.blobshuffle.core.time;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * The only source of time, random numbers, threads and waiting. Production uses {@link SystemTime}.
 * A simulation replaces it by a virtual clock and a seed, and so runs the whole engine
 * deterministically. No part of the engine calls {@code System.nanoTime}, {@code Thread.sleep}, a
 * lock's {@code wait} or a random source itself. Thread-safe.
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
     * A new bounded pool of named daemon threads, for tasks that compute or block. The caller owns
     * and closes it.
     *
     * @param name prefix of the thread names, for example {@code blobshuffle-worker}
     * @param threads number of threads, 1 or more
     */
    Workers workers(String name, int threads);

    /**
     * Threads for calls that mostly wait. On JDK 21 and newer these are virtual threads, and the
     * caller bounds their number. On older JDKs they are {@link #workers}.
     *
     * @param name as for {@link #workers}
     * @param threads number of threads, if they are not virtual
     */
    default Workers blockingWorkers(String name, int threads) {
        return workers(name, threads);
    }

    /** A handle to a scheduled task. */
    interface Cancellable {
        /** Prevents the task from starting. Has no effect if it has started or ended. */
        void cancel();
    }

    /**
     * A pool of threads. Tasks start in the order of submission. The caller bounds the queued
     * tasks: every task holds bytes of a budget.
     */
    interface Workers extends Executor, AutoCloseable {
        /** Stops accepting tasks, lets running tasks end and drops the others. Idempotent. */
        @Override
        void close();
    }
}
