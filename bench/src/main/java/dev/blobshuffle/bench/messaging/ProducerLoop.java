package dev.blobshuffle.bench.messaging;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * A producer and its thread. At a fixed rate each record has its own due time, whether or not
 * earlier records are late. Its latency counts from its due time.
 */
final class ProducerLoop {
    private static final Duration TRANSACTION = Duration.ofMillis(100);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long NANOS_PER_MICRO = 1000;

    private final Client.Producing producer;
    private final String topic;
    private final Payload payload;
    private final boolean isTransactional;
    private final Window window;
    private final double interval;
    private final LongAdder failed = new LongAdder();
    private final Thread thread = new Thread(this::run, "bench-producer");
    private final int number;
    private volatile boolean isOver;
    private long published; // the thread's until it has ended
    private long sum; // as published

    ProducerLoop(
            Client.Producing producer,
            String topic,
            Workload workload,
            int number,
            boolean isTransactional,
            Window window) {
        this.producer = producer;
        this.topic = topic;
        this.number = number;
        this.isTransactional = isTransactional;
        this.window = window;
        payload = new Payload(workload, number);
        interval = workload.isMaximumRate() ? 0 : NANOS_PER_SECOND * workload.allProducers() / workload.rate();
    }

    void start() {
        thread.start();
    }

    private void run() {
        try (producer) {
            begin();
            long start = System.nanoTime();
            long begun = start;
            while (!isOver) {
                long now = System.nanoTime();
                if (isTransactional && now - begun > TRANSACTION.toNanos()) {
                    producer.commit();
                    begin();
                    begun = System.nanoTime();
                    continue;
                }
                long due = interval == 0 ? now : start + (long) (published * interval);
                if (due > now) {
                    LockSupport.parkNanos(due - now);
                } else {
                    send(due / NANOS_PER_MICRO);
                }
            }
            if (isTransactional) {
                producer.commit();
            }
            producer.flush();
        } catch (RuntimeException e) {
            halt(e);
        }
    }

    private void begin() {
        if (isTransactional) {
            producer.begin();
        }
    }

    private void send(long dueMicros) {
        byte[] key = payload.key(published);
        producer.send(topic, key, payload.value(published, dueMicros), isDurable -> {
            if (isDurable) {
                window.publish(dueMicros);
            } else {
                failed.increment();
            }
        });
        sum += Payload.seal(published, number);
        published++;
    }

    /** Ends the process, because the measurements of a partial zone are useless. */
    static void halt(RuntimeException failure) {
        failure.printStackTrace();
        Runtime.getRuntime().halt(1);
    }

    /** Ends the thread. All sent records are then durable or have failed. */
    void finish() throws InterruptedException {
        isOver = true;
        thread.join();
    }

    /** Number of sent records. Call it after the end. */
    long published() {
        return published;
    }

    /** Sum of the seals of the sent records. Call it after the end. */
    long sum() {
        return sum;
    }

    /** Number of sent records that did not become durable. */
    long failed() {
        return failed.sum();
    }
}
