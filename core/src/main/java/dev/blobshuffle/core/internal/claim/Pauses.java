package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;

/**
 * Waits before something that others want too is tried again: a register to write, whose store
 * limits how often, or a broker.
 */
public interface Pauses {
    /**
     * Waits.
     *
     * @param attempt how often it was tried, from 1
     */
    void pause(int attempt) throws InterruptedException;

    /**
     * Longer with each attempt, and at random: of many that start together, each finds a moment of
     * its own. The longest is 2 s, as some stores take one write of an object each second.
     */
    static Pauses growing(Time time) {
        long shortest = Duration.ofMillis(50).toNanos();
        return attempt -> {
            long most = Math.min(Duration.ofSeconds(2).toNanos(), shortest << Math.min(attempt, 16));
            long pause = shortest + Long.remainderUnsigned(time.randomLong(), most);
            Signal never = time.signal();
            boolean ignored = never.await(never.count(), time.nanos() + pause);
        };
    }
}
