package dev.blobshuffle.bench.calls;

import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Writes records at a constant rate, each with its number among the records of its key and the
 * moment at which it was due. Owned by one thread; the feed writes on a thread of its own.
 */
final class CallFeed implements AutoCloseable {
    private final CallCell cell;
    private final String topic;
    private final KafkaProducer<String, String> producer;
    private final Queue<Written> written = new ConcurrentLinkedQueue<>();
    private final AtomicLong acknowledged = new AtomicLong();
    private final double[] cumulated;
    private final SplittableRandom random = new SplittableRandom(1);
    private final Thread thread;
    private volatile boolean isOver;

    /**
     * A record in the topic.
     *
     * @param number among those of its key
     */
    record Written(String key, int number, int partition, long offset) {}

    CallFeed(String bootstrapServers, CallCell cell, String topic) {
        this.cell = cell;
        this.topic = topic;
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "linger.ms", 2),
                new StringSerializer(),
                new StringSerializer());
        cumulated = new double[cell.keys()];
        double sum = 0;
        for (int key = 0; key < cumulated.length; key++) {
            sum += Math.pow(key + 1, -cell.skew());
            cumulated[key] = sum;
        }
        thread = new Thread(this::write, "feed");
        thread.setDaemon(true);
        thread.start();
    }

    private void write() {
        int[] numbers = new int[cell.keys()];
        long start = System.nanoTime();
        long startMillis = System.currentTimeMillis();
        for (long sent = 0; !isOver; sent++) {
            long due = sent * 1_000_000_000L / cell.offered();
            for (long left = start + due - System.nanoTime(); left > 0; left = start + due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            int key = key();
            int number = ++numbers[key];
            String name = "k" + key;
            var ignored = producer.send(
                    new ProducerRecord<>(
                            topic, key % cell.partitions(), name, number + " " + (startMillis + due / 1_000_000)),
                    (sentTo, failure) -> {
                        if (failure == null) {
                            acknowledged.incrementAndGet();
                            written.add(new Written(name, number, sentTo.partition(), sentTo.offset()));
                        }
                    });
        }
        producer.flush();
    }

    private int key() {
        int found = Arrays.binarySearch(cumulated, random.nextDouble() * cumulated[cumulated.length - 1]);
        return Math.min(found < 0 ? -found - 1 : found, cumulated.length - 1);
    }

    /** Number of records in the topic. */
    long count() {
        return acknowledged.get();
    }

    /** Ends the feed. @return the records in the topic */
    Queue<Written> finish() throws InterruptedException {
        isOver = true;
        thread.join();
        return written;
    }

    @Override
    public void close() throws InterruptedException {
        isOver = true;
        thread.join();
        producer.close();
    }
}
