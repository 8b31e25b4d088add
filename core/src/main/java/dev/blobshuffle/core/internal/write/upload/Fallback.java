package dev.blobshuffle.core.internal.write.upload;

import dev.blobshuffle.core.internal.write.deliver.Segment;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends segments as plain records while the store is down, at a bounded rate: brokers are sized for
 * notifications. A segment's bytes are paid for after it went, so that one of any size can go.
 * Thread-safe; nobody waits here, a segment that may not go yet gets a timer.
 */
final class Fallback {
    private static final Logger LOG = LoggerFactory.getLogger(Fallback.class);
    private static final double NANOS_PER_SECOND = 1e9;

    private final BatcherOptions.Fallback options;
    private final Time time;
    private boolean isActive;
    private boolean isPaidOnce;
    private long paidUntilNanos;

    Fallback(BatcherOptions.Fallback options, Time time) {
        this.options = options;
        this.time = time;
    }

    synchronized void start(String store, Throwable cause) {
        if (!isActive) {
            isActive = true;
            LOG.warn(
                    "Records go through the channel, at most {} bytes per second, because {} does not store blobs ({}): bring it back.",
                    options.bytesPerSecond(),
                    store,
                    cause.toString());
        }
    }

    synchronized void stored(String store) {
        if (isActive) {
            isActive = false;
            LOG.info("Records go through blobs again: {} stores them.", store);
        }
    }

    /**
     * Whether the channel takes each record of a segment. A record larger than a pooled chunk,
     * which the limit is not below, has a slice of its own.
     */
    boolean takes(Segment segment) {
        return segment.largestSlice() <= options.recordBytes();
    }

    /** Lets a plain segment go as soon as the rate allows. */
    void send(Segment segment) {
        long wait = pay(segment.bytes());
        if (wait <= 0) {
            go(segment);
        } else {
            Time.Cancellable ignored = time.schedule(Duration.ofNanos(wait), () -> go(segment));
        }
    }

    private static void go(Segment segment) {
        segment.queue().due(segment);
        segment.queue().emitSoon();
    }

    private synchronized long pay(long bytes) {
        long now = time.nanos();
        if (!isPaidOnce || paidUntilNanos - now < 0) {
            isPaidOnce = true;
            paidUntilNanos = now;
        }
        long wait = paidUntilNanos - now;
        paidUntilNanos += (long) (bytes * NANOS_PER_SECOND / options.bytesPerSecond());
        return wait;
    }
}
