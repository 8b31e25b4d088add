package dev.blobshuffle.core.time;

/**
 * A place where threads wait for progress that other threads report (an event count). A waiter reads {@link #count()}, checks its condition, and, if
 * it does not hold, waits until the count has moved; so no report is lost and no lock is held over a check. Thread-safe.
 */
public interface Signal {
    /** The number of reports so far. */
    long count();

    /** Reports progress: moves the count and wakes every waiter. Never blocks. */
    void raise();

    /**
     * Waits until the count differs from a value seen before, or a deadline passes.
     *
     * @param seen the count read before the condition was checked
     * @param deadlineNanos the deadline, on the clock of {@link Time#nanos()}
     * @return whether the count moved in time
     * @throws InterruptedException when the thread is interrupted while it waits
     */
    boolean await(long seen, long deadlineNanos) throws InterruptedException;
}
