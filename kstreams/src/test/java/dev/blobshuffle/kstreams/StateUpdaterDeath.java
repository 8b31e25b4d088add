package dev.blobshuffle.kstreams;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.processor.internals.DefaultKafkaClientSupplier;

/**
 * Makes Kafka's own clients, but the restore consumer of the first stream thread throws once, after
 * the task with the empty changelog is restored. Meanwhile the stream thread can be held, either
 * busy or in a poll. Thread-safe.
 */
final class StateUpdaterDeath extends DefaultKafkaClientSupplier implements StateRestoreListener {
    private final Runnable failure;
    private final Hold hold;
    private final AtomicInteger restoreConsumers = new AtomicInteger();
    private final AtomicInteger mainConsumers = new AtomicInteger();
    private final CompletableFuture<Thread> streamThread = new CompletableFuture<>();
    private final CompletableFuture<Thread> stateUpdater = new CompletableFuture<>();
    private final CountDownLatch emptyChangelogRestored = new CountDownLatch(1);

    /** How long the first stream thread ignores its state updater after it has its tasks. */
    enum Hold {
        NONE,
        UNTIL_THE_UPDATER_IS_DEAD
    }

    /**
     * A supplier for one application with two tasks. The changelog of partition 0 is empty, that of
     * partition 1 is not.
     *
     * @param failure throws the failure of the restore consumer
     */
    StateUpdaterDeath(Runnable failure, Hold hold) {
        this.failure = failure;
        this.hold = hold;
    }

    /** The first stream thread, which has its tasks. */
    Thread streamThread() {
        return await(streamThread);
    }

    /** The state updater of the first stream thread, whose restore consumer fails. */
    Thread stateUpdater() {
        return await(stateUpdater);
    }

    @Override
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
        boolean isFirst = mainConsumers.getAndIncrement() == 0;
        return isFirst ? new FirstMainConsumer(config) : super.getConsumer(config);
    }

    @Override
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
        boolean isFirst = restoreConsumers.getAndIncrement() == 0;
        return isFirst ? new FirstRestoreConsumer(config) : super.getRestoreConsumer(config);
    }

    @Override
    public void onRestoreStart(TopicPartition changelog, String store, long start, long end) {}

    @Override
    public void onBatchRestored(TopicPartition changelog, String store, long end, long records) {}

    @Override
    public void onRestoreEnd(TopicPartition changelog, String store, long records) {
        if (changelog.partition() == 0) {
            emptyChangelogRestored.countDown();
        }
    }

    private static void awaitEnd(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(2, TimeUnit.MINUTES);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("No restore consumer has failed.", e);
        }
    }

    /** Holds its stream thread in the poll after the one that returned the tasks. */
    private final class FirstMainConsumer extends KafkaConsumer<byte[], byte[]> {
        FirstMainConsumer(Map<String, Object> config) {
            super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        @Override
        public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            if (!assignment().isEmpty() && streamThread.complete(Thread.currentThread()) && hold != Hold.NONE) {
                awaitEnd(stateUpdater());
            }
            return super.poll(timeout);
        }
    }

    private final class FirstRestoreConsumer extends KafkaConsumer<byte[], byte[]> {
        FirstRestoreConsumer(Map<String, Object> config) {
            super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        @Override
        public void assign(Collection<TopicPartition> changelogs) {
            var ignored = streamThread();
            super.assign(changelogs);
        }

        @Override
        public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            if (emptyChangelogRestored.getCount() == 0) {
                stateUpdater.complete(Thread.currentThread());
                failure.run();
            }
            return ConsumerRecords.empty();
        }
    }
}
