package dev.blobshuffle.kstreams.keyparallel;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls that take a set time. If the machine makes one take much more, what a test says of times is
 * void, and it is tried again. Thread-safe.
 */
final class TimedCalls {
    private static final int TRIALS = 3;

    private final long mostNanos;
    private volatile boolean isVoid;

    private TimedCalls(Duration most) {
        mostNanos = most.toNanos();
    }

    /** What is tried. */
    interface Trial {
        /** @param number from 1, for names of its own */
        void run(TimedCalls calls, int number) throws Exception;
    }

    /**
     * Runs a trial until its calls took no more than a time, where it fails; three times at most.
     */
    static void untilTimely(Duration most, Trial trial) throws Exception {
        for (int number = 1; ; number++) {
            TimedCalls calls = new TimedCalls(most);
            try {
                trial.run(calls, number);
                return;
            } catch (AssertionError e) {
                if (!calls.isVoid || number == TRIALS) {
                    throw e;
                }
                System.out.println("trial " + number + " is void, the machine stood still: " + e.getMessage());
            }
        }
    }

    /** A call of so long; less when it is interrupted. */
    void take(Duration span) {
        long start = System.nanoTime();
        LockSupport.parkNanos(span.toNanos());
        if (System.nanoTime() - start > mostNanos) {
            isVoid = true;
        }
    }
}
