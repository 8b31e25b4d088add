package dev.blobshuffle.openmessaging;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.log.failure.ConsumerFencedException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.Subscriber;
import io.openmessaging.benchmark.driver.BenchmarkConsumer;
import io.openmessaging.benchmark.driver.ConsumerCallback;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the records of one subscription to the benchmark, in a thread of its own, and commits once
 * a second. It logs and repeats what can be repeated. Any other failure stops it, and the driver.
 */
final class BlobShuffleConsumer implements BenchmarkConsumer {
    private static final Logger LOG = LoggerFactory.getLogger(BlobShuffleConsumer.class);
    private static final Duration WAIT = Duration.ofMillis(100);
    private static final Duration COMMIT_INTERVAL = Duration.ofSeconds(1);
    private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);
    private static final byte[] NO_VALUE = {};

    private final Subscriber<String, byte[]> subscriber;
    private final ConsumerCallback callback;
    private final FirstFailure failure;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;
    private long committed = System.nanoTime();

    BlobShuffleConsumer(Subscriber<String, byte[]> subscriber, ConsumerCallback callback, FirstFailure failure) {
        this.subscriber = subscriber;
        this.callback = callback;
        this.failure = failure;
        this.thread = new Thread(this::run, "openmessaging-" + subscriber.group());
        thread.setDaemon(true);
    }

    /** Starts the thread. */
    BlobShuffleConsumer start() {
        thread.start();
        return this;
    }

    private void run() {
        try (subscriber) {
            while (closing.getCount() > 0) {
                try {
                    consume();
                } catch (ConsumerFencedException | LogUnavailableException | StoreUnavailableException e) {
                    LOG.warn("A consumer of group {} repeats a poll or commit that failed.", subscriber.group(), e);
                    closing.await(RETRY_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
                }
            }
        } catch (Throwable e) { // the thread has no caller: the driver reports the failure
            failure.keep(e);
            LOG.error("A consumer of group {} has failed. The benchmark stops.", subscriber.group(), e);
        }
    }

    private void consume() {
        for (ReceivedRecord<String, byte[]> record : subscriber.poll(WAIT)) {
            byte[] value = record.value();
            callback.messageReceived(value == null ? NO_VALUE : value, record.timestamp());
        }
        if (System.nanoTime() - committed >= COMMIT_INTERVAL.toNanos()) {
            subscriber.commit();
            committed = System.nanoTime();
        }
    }

    /**
     * Ends the thread, which leaves the group.
     *
     * @throws IllegalStateException the thread did not end in 30 seconds
     */
    @Override
    public void close() throws InterruptedException {
        closing.countDown();
        thread.join(CLOSE_TIMEOUT.toMillis());
        if (thread.isAlive()) {
            throw new IllegalStateException("Cannot close a consumer of group " + subscriber.group()
                    + ": its thread did not end in " + CLOSE_TIMEOUT.toSeconds()
                    + " s. End the process, and see its log for the reason.");
        }
    }
}
