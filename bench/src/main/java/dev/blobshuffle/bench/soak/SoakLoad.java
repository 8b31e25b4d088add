package dev.blobshuffle.bench.soak;

import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.Publisher;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscriber;
import dev.blobshuffle.messaging.Subscription;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Instances that publish and subscribe until they are stopped, as threads of this process. Each
 * group must receive each acknowledged record, and the records of a key in order. Thread-safe.
 */
final class SoakLoad implements AutoCloseable {
    static final String SMALL = "small";
    static final String LARGE = "large";

    private static final int KEYS = 1000;
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration FLUSH = Duration.ofMinutes(2);
    private static final double NANOS_PER_SECOND = 1e9;

    private final SoakPlan plan;
    private final List<Messaging> instances = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<Long>> publishing = new ArrayList<>();
    private final List<Future<Long>> consuming = new ArrayList<>();
    private final Recorder acknowledged = new Recorder(3);
    private final Map<String, AtomicLong> received = new ConcurrentHashMap<>();
    private final AtomicLong published = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong disorder = new AtomicLong();
    private volatile boolean isStopping;
    private volatile long expected = Long.MAX_VALUE;

    SoakLoad(SoakPlan plan) {
        this.plan = plan;
    }

    /** Starts an instance's publishers, subscribers and visitors. */
    void start(int number, Map<String, String> settings) {
        Messaging instance = Messaging.open(settings);
        instances.add(instance);
        for (int i = 0; i < SoakPlan.GROUPS; i++) {
            String group = "group-" + i;
            consuming.add(threads.submit(() -> consume(instance, group)));
        }
        publishing.add(threads.submit(
                () -> publish(instance, "small-" + number, SMALL, SoakPlan.SMALL_BYTES, plan.smallPerSecond())));
        publishing.add(threads.submit(
                () -> publish(instance, "large-" + number, LARGE, SoakPlan.LARGE_BYTES, plan.largePerSecond())));
        if (number == 0) {
            publishing.add(threads.submit(() -> visit(instance)));
        }
    }

    private long publish(Messaging instance, String name, String topic, int bytes, int perSecond) {
        SplittableRandom random = new SplittableRandom(name.hashCode());
        byte[] noise = new byte[bytes];
        random.nextBytes(noise);
        try (Publisher<byte[], byte[]> publisher = instance.publisher(name, Serde.bytes(), Serde.bytes())) {
            long start = System.nanoTime();
            long number = 0;
            while (!isStopping) {
                send(publisher, name, topic, noise, number);
                number++;
                long due = start + (long) (number * NANOS_PER_SECOND / perSecond);
                LockSupport.parkNanos(due - System.nanoTime());
            }
            publisher.flush(FLUSH);
            return number;
        }
    }

    /**
     * Opens one publisher after another, each for a few records, until the load stops. Returns the
     * number of records.
     */
    private long visit(Messaging instance) {
        byte[] noise = new byte[SoakPlan.SMALL_BYTES];
        long sum = 0;
        for (int visitor = 0; !isStopping; visitor++) {
            String name = "visitor-" + visitor;
            try (Publisher<byte[], byte[]> publisher = instance.publisher(name, Serde.bytes(), Serde.bytes())) {
                for (int i = 0; i < 10; i++) {
                    send(publisher, name, SMALL, noise, i);
                    sum++;
                }
                publisher.flush(FLUSH);
            }
            long until = System.nanoTime() + SoakPlan.VISIT.toNanos();
            while (!isStopping && System.nanoTime() - until < 0) {
                LockSupport.parkNanos(POLL.toNanos());
            }
        }
        return sum;
    }

    /** A record's key names its publisher; its value begins with the record's number. */
    private void send(Publisher<byte[], byte[]> publisher, String name, String topic, byte[] noise, long number) {
        byte[] value = noise.clone();
        ByteBuffer.wrap(value).putLong(0, number);
        byte[] key = ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(name.hashCode())
                .putInt((int) (number % KEYS))
                .array();
        long begin = System.nanoTime();
        var ignored = publisher.publish(topic, key, value).whenComplete((position, failure) -> {
            if (failure == null) {
                acknowledged.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begin));
                published.incrementAndGet();
            } else {
                failures.incrementAndGet();
            }
        });
    }

    private long consume(Messaging instance, String group) {
        AtomicLong count = received.computeIfAbsent(group, any -> new AtomicLong());
        Map<Long, Long> last = new ConcurrentHashMap<>();
        Subscription subscription = Subscription.of(group, SMALL, LARGE);
        try (Subscriber<byte[], byte[]> subscriber = instance.subscriber(subscription, Serde.bytes(), Serde.bytes())) {
            while (count.get() < expected) {
                for (ReceivedRecord<byte[], byte[]> record : subscriber.poll(POLL)) {
                    long key = ByteBuffer.wrap(Objects.requireNonNull(record.key()))
                            .getLong();
                    long number = ByteBuffer.wrap(Objects.requireNonNull(record.value()))
                            .getLong();
                    Long before = last.put(key, number);
                    if (before != null && before >= number) {
                        disorder.incrementAndGet();
                    }
                    count.incrementAndGet();
                }
                subscriber.commit();
            }
        }
        return count.get();
    }

    /** Times from publish to acknowledgement since the last call, in microseconds. */
    Histogram acknowledged() {
        return acknowledged.getIntervalHistogram();
    }

    /** Stops the publishers, and waits until each group has all records. Returns the problems. */
    List<String> stop() throws InterruptedException {
        List<String> faults = new ArrayList<>();
        isStopping = true;
        await(publishing, faults);
        expected = published.get();
        await(consuming, faults);
        received.forEach((group, count) -> {
            if (count.get() != expected) {
                faults.add("%s received %d of %d records.".formatted(group, count.get(), expected));
            }
        });
        if (failures.get() > 0) {
            faults.add(failures.get() + " publishes failed.");
        }
        if (disorder.get() > 0) {
            faults.add(disorder.get() + " records came after a later one of their key.");
        }
        return faults;
    }

    private static void await(List<Future<Long>> threads, List<String> faults) throws InterruptedException {
        for (Future<Long> each : threads) {
            try {
                long ignored = each.get(FLUSH.toSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                faults.add("A thread failed: " + e.getCause());
            } catch (TimeoutException e) {
                faults.add("A thread did not end in " + FLUSH + ".");
            }
        }
    }

    @Override
    public void close() {
        isStopping = true;
        expected = 0;
        threads.shutdown();
        try {
            if (!threads.awaitTermination(FLUSH.toSeconds(), TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
        instances.forEach(Messaging::close);
    }
}
