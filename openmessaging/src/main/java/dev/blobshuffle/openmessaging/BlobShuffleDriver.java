package dev.blobshuffle.openmessaging;

import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscription;
import dev.blobshuffle.messaging.Topic;
import io.openmessaging.benchmark.driver.BenchmarkConsumer;
import io.openmessaging.benchmark.driver.BenchmarkDriver;
import io.openmessaging.benchmark.driver.BenchmarkProducer;
import io.openmessaging.benchmark.driver.ConsumerCallback;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.stats.StatsLogger;

/**
 * Publishes and subscribes through blobs for the OpenMessaging Benchmark. A subscription of the
 * benchmark is a consumer group of the same name. Owned by the thread of the benchmark's worker.
 */
public final class BlobShuffleDriver implements BenchmarkDriver {
    private static final Duration RETENTION = Duration.ofHours(1);
    private static final int BLOCKING_CALLS = 8;
    private static final int WAITING_CALLS = 256;

    private final FirstFailure failure = new FirstFailure();
    private Messaging messaging;
    private ExecutorService blockingCalls;

    /** {@inheritDoc} */
    @Override
    public void initialize(File file, StatsLogger stats) throws IOException {
        messaging = Messaging.open(Configuration.settings(file));
        // Calls beyond the queue run in the benchmark's thread, so nothing is unbounded or refused.
        blockingCalls = new ThreadPoolExecutor(
                BLOCKING_CALLS,
                BLOCKING_CALLS,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING_CALLS),
                task -> {
                    Thread thread = new Thread(task, "openmessaging-driver");
                    thread.setDaemon(true);
                    return thread;
                },
                new ThreadPoolExecutor.CallerRunsPolicy());
    }

    @Override
    public String getTopicNamePrefix() {
        return "openmessaging";
    }

    @Override
    public CompletableFuture<Void> createTopic(String topic, int partitions) {
        Topic created = Topic.named(topic).partitions(partitions).retention(RETENTION);
        return CompletableFuture.runAsync(() -> messaging.topics().create(created), blockingCalls);
    }

    @Override
    public CompletableFuture<BenchmarkProducer> createProducer(String topic) {
        String name = "openmessaging-" + UUID.randomUUID();
        return CompletableFuture.supplyAsync(
                () -> new BlobShuffleProducer(
                        messaging.publisher(name, Serde.string(), Serde.bytes()), topic, failure),
                blockingCalls);
    }

    @Override
    public CompletableFuture<BenchmarkConsumer> createConsumer(
            String topic, String subscription, ConsumerCallback callback) {
        return CompletableFuture.supplyAsync(
                () -> new BlobShuffleConsumer(
                                messaging.subscriber(
                                        Subscription.of(subscription, topic), Serde.string(), Serde.bytes()),
                                callback,
                                failure)
                        .start(),
                blockingCalls);
    }

    /**
     * Closes everything. Idempotent.
     *
     * @throws IllegalStateException a consumer failed during the run; its results are void
     */
    @Override
    public void close() {
        if (blockingCalls != null) {
            blockingCalls.shutdownNow();
        }
        if (messaging != null) {
            messaging.close();
        }
        failure.check();
    }
}
