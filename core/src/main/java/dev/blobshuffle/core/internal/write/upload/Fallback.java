package dev.blobshuffle.core.internal.write.upload;

import dev.blobshuffle.core.internal.write.deliver.Segment;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends segments as plain records while the store is down, at a limited rate, because brokers are
 * sized for notifications. A segment is charged to the rate after it was sent, so a segment of any
 * size can be sent. Thread-safe. No thread waits here: a segment that must wait gets a timer.
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
                    "Records go through the channel, at most {} bytes per second, because {} does not store blobs ({}). Restore the store.",
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
     * Whether the channel accepts every record of a segment. The limit is at least the size of a
     * pooled chunk. A record larger than a chunk has its own slice, so the largest slice decides.
     */
    boolean takes(Segment segment) {
        return segment.largestSlice() <= options.recordBytes();
    }

    /** Sends a plain segment as soon as the rate allows. */
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
