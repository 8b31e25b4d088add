package dev.blobshuffle.kstreams.differential;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;

/**
 * Instances of one application in this JVM. The first uncaught exception of any of them is kept,
 * and thrown by {@link #check()}. Owned by the test thread.
 */
public final class Instances implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(240);

    private final List<KafkaStreams> running = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** No instance yet. */
    public Instances() {}

    /** Starts one more instance and returns when it is running. */
    public KafkaStreams add(KafkaStreams streams) throws InterruptedException {
        await(start(streams));
        return streams;
    }

    /**
     * Starts one more instance, whose threads are replaced when they die, and returns when it is
     * running.
     */
    public KafkaStreams addReplacingThreads(KafkaStreams streams) throws InterruptedException {
        await(start(streams, e -> StreamThreadExceptionResponse.REPLACE_THREAD));
        return streams;
    }

    /** Ends one instance in order. */
    public void stop(KafkaStreams streams) {
        if (!streams.close(TIMEOUT)) {
            throw new AssertionError("not closed in " + TIMEOUT);
        }
        running.remove(streams);
    }

    /** Starts instances 0 to n - 1 and returns when all of them are running. */
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

    private CountDownLatch start(KafkaStreams streams) {
        return start(streams, e -> {
            failure.compareAndSet(null, e);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
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

    private void await(CountDownLatch ready) throws InterruptedException {
        if (!ready.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("not running in " + TIMEOUT + ": "
                    + running.stream().map(KafkaStreams::state).toList());
        }
        check();
    }

    /** Throws what killed a stream thread, if one died. */
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

    /** Closes all at the same time, as an orderly end. */
    @Override
    public void close() {
        List<CompletableFuture<Boolean>> ends = running.stream()
                .map(streams -> CompletableFuture.supplyAsync(() -> streams.close(TIMEOUT)))
                .toList();
        ends.forEach(CompletableFuture::join);
        running.clear();
    }
}
