package dev.blobshuffle.bench.messaging;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/** A consumer and its thread, which checks the received records and measures their latency. */
final class ConsumerLoop {
    private static final Duration WAIT = Duration.ofMillis(100);

    /** The interval of automatic commits of Kafka's consumers. */
    private static final Duration COMMIT = Duration.ofSeconds(5);

    private final Client.Consuming consumer;
    private final GroupCheck check;
    private final Window window;
    private final Histogram latency = Window.histogram(); // the thread's until it has ended
    private final Thread thread = new Thread(this::run, "bench-consumer");
    private volatile int owned;
    private volatile boolean isOver;

    ConsumerLoop(Client.Consuming consumer, GroupCheck check, Window window) {
        this.consumer = consumer;
        this.check = check;
        this.window = window;
    }

    void start() {
        thread.start();
    }

    private void run() {
        try (consumer) {
            long committed = System.nanoTime();
            while (!isOver) {
                consumer.poll(WAIT, this::receive);
                owned = consumer.owned();
                if (System.nanoTime() - committed > COMMIT.toNanos()) {
                    consumer.commit();
                    committed = System.nanoTime();
                }
            }
            consumer.commit(); // Otherwise a member that ends later would receive these records again.
        } catch (RuntimeException e) {
            ProducerLoop.halt(e);
        }
    }

    private void receive(ByteBuffer value) {
        check.receive(value);
        long due = Payload.dueMicros(value);
        if (window.holds(due)) {
            latency.recordValue(Math.max(0, Window.nowMicros() - due));
        }
    }

    int owned() {
        return owned;
    }

    /** Ends the thread. */
    void finish() throws InterruptedException {
        isOver = true;
        thread.join();
    }

    /** Latency from due to received. Call it after the end. */
    Histogram latency() {
        return latency;
    }
}
