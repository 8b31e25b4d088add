package dev.blobshuffle.kstreams.differential;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.awaitility.Awaitility;

/**
 * Instances of one application in this JVM. The first uncaught exception of any of them is kept,
 * and thrown by {@link #check()}. Owned by the test thread.
 */
public final class Instances implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(240);
    private static final Duration POLL = Duration.ofMillis(20);

    private final List<KafkaStreams> running = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** Starts without instances. */
    public Instances() {}

    /** Starts another instance, and returns when it runs. */
    public KafkaStreams add(KafkaStreams streams) throws InterruptedException {
        await(start(streams));
        return streams;
    }

    /**
     * Starts another instance whose threads are replaced when they die, and returns when it runs.
     */
    public KafkaStreams addReplacingThreads(KafkaStreams streams) throws InterruptedException {
        await(start(streams, e -> StreamThreadExceptionResponse.REPLACE_THREAD));
        return streams;
    }

    /** Stops one instance properly. */
    public void stop(KafkaStreams streams) {
        if (!streams.close(TIMEOUT)) {
            throw new AssertionError("not closed in " + TIMEOUT);
        }
        running.remove(streams);
    }

    /** Starts instances 0 to n - 1, and returns when all of them run. */
    public static Instances start(int count, IntFunction<KafkaStreams> factory) throws Exception {
        Instances instances = new Instances();
        try {
            List<CountDownLatch> ready = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ready.add(instances.start(factory.apply(i)));
            }
            for (CountDownLatch latch : ready) {
                instances.await(latch);
            }
            return instances;
        } catch (Exception | Error e) {
            instances.close();
            throw e;
        }
    }

    /** Starts another instance; the latch opens when it runs. */
    public CountDownLatch start(KafkaStreams streams) {
        return startReplacing(streams, e -> false);
    }

    /**
     * Starts another instance whose threads are replaced if they die of a certain exception; the
     * latch opens when it runs.
     */
    public CountDownLatch startReplacing(KafkaStreams streams, Predicate<Throwable> isReplaced) {
        return start(streams, e -> {
            if (isReplaced.test(e)) {
                return StreamThreadExceptionResponse.REPLACE_THREAD;
            }
            failure.compareAndSet(null, e);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
    }

    /** The first failure that killed a stream thread. */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure.get());
    }

    private CountDownLatch start(KafkaStreams streams, StreamsUncaughtExceptionHandler handler) {
        running.add(streams);
        CountDownLatch ready = new CountDownLatch(1);
        streams.setStateListener((now, before) -> {
            if (now == KafkaStreams.State.RUNNING || now == KafkaStreams.State.ERROR) {
                ready.countDown();
            }
        });
        streams.setUncaughtExceptionHandler(handler);
        streams.start();
        return ready;
    }

    /** Waits until an instance runs; fails if a stream thread has died. */
    public void await(CountDownLatch ready) throws InterruptedException {
        if (!ready.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("not running in " + TIMEOUT + ": "
                    + running.stream().map(KafkaStreams::state).toList());
        }
        check();
    }

    /** Waits until a condition holds; fails at once if a stream thread dies meanwhile. */
    public void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(TIMEOUT)
                .pollInterval(POLL)
                .failFast(this::check)
                .until(condition);
    }

    /**
     * Waits until an instance has exactly this many stream threads, and all of them run. A dead
     * thread would be missing; a rebalance may be in progress.
     */
    public void awaitThreads(KafkaStreams streams, int threads) {
        await(
                threads + " running stream threads",
                () -> streams.metadataForLocalThreads().size() == threads
                        && streams.metadataForLocalThreads().stream()
                                .allMatch(thread -> thread.threadState().equals("RUNNING")));
    }

    /** The sum of a metric over the threads and tasks of an instance. */
    public static double sum(KafkaStreams streams, String group, String name) {
        return streams.metrics().values().stream()
                .filter(metric -> metric.metricName().group().equals(group)
                        && metric.metricName().name().equals(name))
                .mapToDouble(metric -> ((Number) metric.metricValue()).doubleValue())
                .sum();
    }

    /** Whether the group has ended a member's session in the last half minute. */
    public boolean hasLostPartitions() {
        return running.stream()
                .flatMap(streams -> streams.metrics().values().stream())
                .filter(metric -> metric.metricName().name().equals("partition-lost-latency-max"))
                .anyMatch(metric -> !Double.isNaN((Double) metric.metricValue()));
    }

    /** Throws the failure of a dead stream thread, if there is one. */
    public void check() {
        Throwable first = failure.get();
        if (first != null) {
            throw new AssertionError("a stream thread died", first);
        }
    }

    /** The running instances. */
    public List<KafkaStreams> all() {
        return running;
    }

    /** A fresh state directory of one instance. */
    public static String stateDirectory(String application, int number) {
        try {
            return Files.createTempDirectory(application + "-" + number).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Closes all instances concurrently and properly. */
    @Override
    public void close() {
        List<CompletableFuture<Boolean>> ends = running.stream()
                .map(streams -> CompletableFuture.supplyAsync(() -> streams.close(TIMEOUT)))
                .toList();
        ends.forEach(CompletableFuture::join);
        running.clear();
    }
}
