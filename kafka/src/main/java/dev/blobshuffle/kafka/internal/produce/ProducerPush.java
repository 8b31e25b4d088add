package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.time.Time;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Producer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a producer send its records at once, regardless of its {@code linger.ms}. No other record
 * joins a notification that lingers, and Kafka Streams' 100 ms would delay every notification. Only
 * a flush overrides the linger time. It also waits for the brokers, so it runs on its own thread,
 * one at a time. All requests during a flush lead to one more flush. Thread-safe.
 */
public final class ProducerPush implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProducerPush.class);

    private final Producer<?, ?> producer;
    private final Time.Workers workers;

    /**
     * Requests that the thread has not seen yet, plus the flush that runs. The caller that raises
     * it to 1 starts the thread.
     */
    private final AtomicInteger asked = new AtomicInteger();

    public ProducerPush(Producer<?, ?> producer, Time time) {
        this.producer = producer;
        this.workers = time.blockingWorkers("blobshuffle-push", 1);
    }

    /** Makes the producer send everything that it already holds. Does not wait. */
    public void start() {
        if (asked.getAndIncrement() == 0) {
            try {
                workers.execute(this::run);
            } catch (ClosedException e) {
                LOG.debug("Not pushed: the producer is closing.");
            }
        }
    }

    private void run() {
        int seen = 1;
        do {
            try {
                producer.flush();
            } catch (RuntimeException e) {
                // Each send gets its own result, and without the flush the records go when their
                // linger time ends.
                LOG.debug("Could not push.", e);
            }
            seen = asked.addAndGet(-seen);
        } while (seen != 0);
    }

    /** Stops pushing. Idempotent. */
    @Override
    public void close() {
        workers.close();
    }
}
