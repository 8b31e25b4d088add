package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;

/**
 * The pauses between attempts at something that others also try: to write a register, whose store
 * limits the rate of writes, or to call a broker.
 */
public interface Pauses {
    /**
     * Waits before the next attempt.
     *
     * @param attempt the number of attempts so far, from 1
     */
    void pause(int attempt) throws InterruptedException;

    /**
     * Random pauses whose maximum grows with each attempt, so that instances that start together
     * spread their attempts. The maximum is about 2 s, because some stores accept one write of an
     * object per second.
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
