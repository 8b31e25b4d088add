package dev.blobshuffle.core.time;

import dev.blobshuffle.core.failure.ClosedException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clocks, threads and random numbers of the machine. One daemon thread runs the timers. It
 * starts with the first timer and ends after a minute without timers. Thread-safe. The creator owns
 * it, and closes it after everything that uses it.
 */
public final class SystemTime implements Time, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SystemTime.class);
    private static final AtomicInteger TIMERS = new AtomicInteger();

    /**
     * Random numbers name writers, which must be unique for ever and on all machines. So the
     * generator is not seeded by the clock.
     */
    private final SecureRandom random = new SecureRandom();

    private final LongSupplier wallClock;
    private final ScheduledThreadPoolExecutor timer;

    /** A time source with its own timer thread. */
    public SystemTime() {
        this(wallClock());
    }

    /** The machine's wall clock alone: milliseconds since the Unix epoch; may jump. */
    public static LongSupplier wallClock() {
        return System::currentTimeMillis;
    }

    /**
     * A time source with another wall clock.
     *
     * @param wallClock milliseconds since the Unix epoch; may jump
     */
    public SystemTime(LongSupplier wallClock) {
        this.wallClock = wallClock;
        String name = "blobshuffle-timer-" + TIMERS.incrementAndGet();
        timer = new ScheduledThreadPoolExecutor(1, task -> daemon(name, task));
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        timer.setKeepAliveTime(1, TimeUnit.MINUTES);
        timer.allowCoreThreadTimeOut(true);
    }

    @Override
    public long wallMillis() {
        return wallClock.getAsLong();
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long randomLong() {
        return random.nextLong();
    }

    @Override
    public Signal signal() {
        return new SystemSignal();
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        try {
            Future<?> scheduled = timer.schedule(() -> runTimer(task), delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        } catch (RejectedExecutionException e) {
            throw new ClosedException(
                    "Cannot schedule a task: the timer is closed. Close the time source after everything that uses it.",
                    e);
        }
    }

    @Override
    public Workers workers(String name, int threads) {
        return new SystemWorkers(name, threads);
    }

    @Override
    public Workers blockingWorkers(String name, int threads) {
        return VirtualWorkers.areThere() ? new VirtualWorkers(name) : workers(name, threads);
    }

    /** Ends the timer thread and drops timers that have not started. Idempotent. */
    @Override
    public void close() {
        timer.shutdown();
    }

    static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler(
                (failed, e) -> LOG.error("A task failed on thread {}.", failed.getName(), e));
        return thread;
    }

    /**
     * Logs a task's failure, which the timer would otherwise keep in a future that is never read.
     */
    private static void runTimer(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("A timer task failed.", e);
        }
    }
}
