package dev.blobshuffle.core.time;

/**
 * Lets threads wait for progress that other threads report (an event count). A waiter reads
 * {@link #count()} and checks its condition. If the condition does not hold, it waits until the
 * count changes. So no report is lost, and no lock is held during a check. Thread-safe.
 */
public interface Signal {
    /** The number of reports so far. */
    long count();

    /** Reports progress: increments the count and wakes all waiters. Never blocks. */
    void raise();

    /**
     * Waits until the count differs from a value seen before, or a deadline passes.
     *
     * @param seen the count read before the condition was checked
     * @param deadlineNanos the deadline, on the clock of {@link Time#nanos()}
     * @return whether the count changed in time
     * @throws InterruptedException when the thread is interrupted while it waits
     */
    boolean await(long seen, long deadlineNanos) throws InterruptedException;
}
