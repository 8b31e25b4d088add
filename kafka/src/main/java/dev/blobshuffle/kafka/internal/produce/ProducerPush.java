package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.core.failure.Closed;
import dev.blobshuffle.core.time.Time;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Producer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a producer send what it holds at once, whatever its {@code linger.ms}: nothing joins a
 * notification that waits, and Kafka Streams' 100 ms would delay every one. Only a flush can hurry
 * a producer, and a flush waits for the brokers, so it runs on a thread of its own, one at a time;
 * what is asked for meanwhile makes one more. Thread-safe.
 */
public final class ProducerPush implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProducerPush.class);

    private final Producer<?, ?> producer;
    private final Time.Workers workers;

    /**
     * Asked for and not seen by the thread yet, and the one under way: whoever makes it 1 starts
     * the thread.
     */
    private final AtomicInteger asked = new AtomicInteger();

    public ProducerPush(Producer<?, ?> producer, Time time) {
        this.producer = producer;
        this.workers = time.blockingWorkers("blobshuffle-push", 1);
    }

    /** Has everything sent that was handed to the producer before. Does not wait. */
    public void start() {
        if (asked.getAndIncrement() == 0) {
            try {
                workers.execute(this::run);
            } catch (Closed e) {
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
                // Each send hears of its end by itself, and what cannot be hurried goes when its
                // linger is over.
                LOG.debug("Could not push.", e);
            }
            seen = asked.addAndGet(-seen);
        } while (seen != 0);
    }

    /** Pushes no more. Idempotent. */
    @Override
    public void close() {
        workers.close();
    }
}
