package dev.blobshuffle.core.time;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A signal for real threads. A report without waiters costs one atomic increment and one volatile
 * read. No report is lost: the reporter increments the count and then checks for waiters. The
 * waiter registers itself and then checks the count. Both orders are sequentially consistent.
 * Thread-safe.
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

    /** Called only under the lock, which makes the read and write of the volatile field atomic. */
    private void adjustWaiting(int by) {
        int now = waiting + by;
        waiting = now;
    }
}
