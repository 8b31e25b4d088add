package dev.blobshuffle.core.time;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A signal for real threads. A report without waiters costs one atomic increment and one volatile read. No report is lost: the reporter moves the count
 * and then looks for waiters, the waiter announces itself and then looks at the count, and both orders are sequentially consistent. Thread-safe.
 */
final class SystemSignal implements Signal {
    private final AtomicLong count = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();

    /** Number of waiting threads. Written under the lock, read without it. */
    private volatile int waiting;

    @Override
    public long count() {
        return count.get();
    }

    @Override
    public void raise() {
        count.incrementAndGet();
        if (waiting > 0) {
            lock.lock();
            try {
                moved.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public boolean await(long seen, long deadlineNanos) throws InterruptedException {
        if (count.get() != seen) {
            return true;
        }
        lock.lockInterruptibly();
        try {
            adjustWaiting(1);
            while (count.get() == seen) {
                long left = deadlineNanos - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                long ignored = moved.awaitNanos(left);
            }
            return true;
        } finally {
            adjustWaiting(-1);
            lock.unlock();
        }
    }

    /** Only called under the lock, so that the two steps of a volatile update are one. */
    private void adjustWaiting(int by) {
        int now = waiting + by;
        waiting = now;
    }
}
