package dev.blobshuffle.core.internal.write.deliver;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;

/**
 * The parts that the delivery queues of a Batcher share: the clock, the metrics, and the threads
 * that may block in a channel. Thread-safe.
 */
public final class DeliveryContext implements AutoCloseable {
    private static final int THREADS = 2;

    private final BatcherOptions options;
    private final Time time;
    private final ShuffleMetrics metrics;
    private final Signal memoryReleased;
    private final DeliveryObserver observer;
    private final Time.Workers workers;
    private volatile boolean isClosed;

    /**
     * A context that has started no thread yet.
     *
     * @param memoryReleased the signal on which appends wait for memory
     */
    public DeliveryContext(
            BatcherOptions options,
            Time time,
            ShuffleMetrics metrics,
            Signal memoryReleased,
            DeliveryObserver observer) {
        this.options = options;
        this.time = time;
        this.metrics = metrics;
        this.memoryReleased = memoryReleased;
        this.observer = observer;
        workers = time.workers("blobshuffle-delivery", THREADS);
    }

    /**
     * Runs a task on a thread that may block in a channel. After {@link #close} the task is
     * dropped, because no work is left.
     */
    public void execute(Runnable task) {
        try {
            workers.execute(task);
        } catch (ClosedException e) {
            if (!isClosed) {
                throw e;
            }
        }
    }

    /**
     * The maximum age of a batch when its notification is sent. The channel needs the rest of
     * {@code notifyWithin}. The result is at least the delivery timeout, so an upload within that
     * timeout is never too late.
     */
    SendLimit sendLimit(Channel channel) {
        Duration rest = options.notifyWithin().minus(channel.longestDelivery());
        Duration within = rest.compareTo(options.deliveryTimeout()) > 0 ? rest : options.deliveryTimeout();
        return new SendLimit(time, within.toNanos());
    }

    Time time() {
        return time;
    }

    ShuffleMetrics metrics() {
        return metrics;
    }

    Signal memoryReleased() {
        return memoryReleased;
    }

    DeliveryObserver observer() {
        return observer;
    }

    /** Ends the threads. Called after all queues have ended. */
    @Override
    public void close() {
        isClosed = true;
        workers.close();
    }
}
