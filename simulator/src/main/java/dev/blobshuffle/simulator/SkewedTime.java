package dev.blobshuffle.simulator;

import dev.blobshuffle.core.time.ForwardingTime;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;

/** The time of a process whose wall clock is wrong. */
public final class SkewedTime extends ForwardingTime {
    private final long skewMillis;

    /**
     * The time of a process.
     *
     * @param time with the right wall clock
     * @param skew how far the process's wall clock is ahead; negative if it is behind
     */
    public SkewedTime(Time time, Duration skew) {
        super(time);
        this.skewMillis = skew.toMillis();
    }

    @Override
    public long wallMillis() {
        return super.wallMillis() + skewMillis;
    }
}
