package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits how often polls throw one lasting failure. A reader whose loop logs and polls again would
 * otherwise throw thousands of times per second. The first poll throws at once. Later ones wait
 * within their own timeout, and may return records of other partitions meanwhile. A failure of
 * another message, for example at another position, is another failure. Owned by the reader's
 * thread.
 */
public final class RepeatedFailure {
    /** The least time between two throws, if the polls' timeouts allow it. */
    public static final Duration LEAST = Duration.ofSeconds(1);

    /** The longest wait between two looks for records and rebalances. */
    private static final Duration STEP = Duration.ofMillis(50);

    private final Time time;
    private @Nullable String message;
    private long thrownAt;

    public RepeatedFailure(Time time) {
        this.time = time;
    }

    /**
     * How long a poll keeps a failure back; zero if it throws now.
     *
     * @param remaining the remaining time of the poll
     */
    public Duration delay(RuntimeException failure, Duration remaining) {
        if (!String.valueOf(failure.getMessage()).equals(message)) {
            return Duration.ZERO;
        }
        long nanos = Math.min(thrownAt + LEAST.toNanos() - time.nanos(), remaining.toNanos());
        return Duration.ofNanos(Math.max(0, nanos));
    }

    /** Notes that a poll throws a failure. Returns the failure. */
    public <E extends RuntimeException> E thrown(E failure) {
        message = String.valueOf(failure.getMessage());
        thrownAt = time.nanos();
        return failure;
    }

    /** Waits for a part of a delay, so that the poll can look for records in between. */
    public void await(Duration delay) throws InterruptedException {
        Signal never = time.signal();
        Duration wait = delay.compareTo(STEP) < 0 ? delay : STEP;
        boolean ignored = never.await(never.count(), time.nanos() + wait.toNanos());
    }
}
