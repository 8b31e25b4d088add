package dev.blobshuffle.log.internal.sweep;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.CommitLog;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sweeps a log in the background of an instance: one pass ({@link LogSweep}) per interval. Any
 * number of instances may sweep; a pass does the work that other passes have left.
 *
 * <p>It has its own thread and opens the store for each pass. Its failures affect nothing else: it
 * logs a failure once and tries again. Thread-safe; the work runs on one thread.
 */
public final class LogSweeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogSweeper.class);
    private static final Duration LEAVE = Duration.ofSeconds(3);

    private final CommitLog log;
    private final Supplier<BlobStore> stores;
    private final LogSweepOptions options;
    private final Duration interval;
    private final ShuffleMetrics metrics;
    private final ShuffleMetrics.Registration age;
    private final Time time;
    private final StopSignal stopSignal;
    private final Time.Workers worker;
    private final Signal ended;
    private final AtomicBoolean isRunning = new AtomicBoolean();
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private volatile boolean hasSwept;
    private volatile long lastEnd;

    /** Owned by the worker. */
    private boolean isWarned;

    /**
     * A sweeper that has not started.
     *
     * @param log stays open; closed after the sweeper
     * @param stores opens the store for each pass, which closes it again
     * @param interval from the end of a pass to the next one
     * @param metrics the instance's
     * @param time its clocks and threads; closed after the sweeper
     */
    public LogSweeper(
            CommitLog log,
            Supplier<BlobStore> stores,
            LogSweepOptions options,
            Duration interval,
            ShuffleMetrics metrics,
            Time time) {
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("Cannot sweep every " + interval + ": must be positive.");
        }
        this.log = log;
        this.stores = stores;
        this.options = options;
        this.interval = interval;
        this.metrics = metrics;
        this.time = time;
        stopSignal = new StopSignal(time);
        worker = time.workers("blobshuffle-log-sweeper", 1);
        ended = time.signal();
        age = metrics.report(
                Gauge.LAST_SWEEP_AGE, () -> hasSwept ? TimeUnit.NANOSECONDS.toMillis(time.nanos() - lastEnd) : 0);
    }

    /**
     * Starts. The first pass begins at a random moment of the interval, so that instances that
     * start together sweep one after another.
     */
    public void start() {
        later(Duration.ofNanos(Long.remainderUnsigned(time.randomLong(), interval.toNanos())));
    }

    private void later(Duration delay) {
        try {
            time.schedule(delay, this::begin);
        } catch (ClosedException e) {
            LOG.trace("The instance has ended.", e);
        }
    }

    /** Runs on the timer's thread. */
    private void begin() {
        if (isClosed.get() || !isRunning.compareAndSet(false, true)) {
            return;
        }
        try {
            worker.execute(this::work);
        } catch (ClosedException e) {
            isRunning.set(false); // The instance is closing.
        }
    }

    private void work() {
        try {
            Thread.currentThread().setPriority(Thread.MIN_PRIORITY);
            sweep();
            isWarned = false;
        } catch (ClosedException e) {
            LOG.debug("The sweep ends with the instance.", e);
        } catch (RuntimeException e) { // Whatever the failure, the instance continues.
            failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            isRunning.set(false);
            ended.raise();
            if (!isClosed.get()) {
                later(interval);
            }
        }
    }

    private void sweep() throws InterruptedException {
        try (BlobStore store = stores.get()) {
            LogSweepReport report = new LogSweep(log, store, options, stopSignal, time).run();
            metrics.add(Counter.SWEEPS, 1);
            metrics.add(Counter.BLOBS_SWEPT, report.deleted());
            metrics.add(Counter.ORPHANS_SWEPT, report.orphans());
            lastEnd = time.nanos();
            hasSwept = true;
            if (!report.isIdle()) {
                LOG.info(
                        "Swept {}: {} batches trimmed, {} blobs buried, {} of them orphans, {} postponed, {} deleted.",
                        store.location(),
                        report.trimmed(),
                        report.buried() + report.orphans(),
                        report.orphans(),
                        report.postponed(),
                        report.deleted());
            }
        }
    }

    private void failed(RuntimeException e) {
        if (isClosed.get()) {
            return;
        }
        metrics.add(Counter.SWEEP_FAILURES, 1);
        if (isWarned) {
            LOG.debug("The log could not be swept.", e);
        } else {
            isWarned = true;
            LOG.warn("The log was not swept to the end: {} The next sweep tries again.", e.getMessage(), e);
        }
    }

    /** Ends a running pass after its current request, and waits briefly for that. Idempotent. */
    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            stopSignal.raise();
            worker.close();
            awaitEnd();
            age.close();
        }
    }

    private void awaitEnd() {
        long until = time.nanos() + LEAVE.toNanos();
        try {
            boolean goesOn = true;
            while (goesOn) {
                long seen = ended.count();
                goesOn = isRunning.get() && ended.await(seen, until);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
