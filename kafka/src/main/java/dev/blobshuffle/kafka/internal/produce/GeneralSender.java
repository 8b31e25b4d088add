package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.MemoryExhaustedException;
import dev.blobshuffle.core.failure.WaitInterruptedException;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.kafka.internal.client.HeaderAdapter;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends for any application. A send is acknowledged when its notification is, with the record's own
 * offset. Without transactions, a lost batch fails its sends and the lane starts again, just as
 * Kafka's producer continues after a failed batch. In a transaction, the failure stays until the
 * abort. Thread-safe: the lock guards the lane.
 */
public final class GeneralSender<K, V> implements Sender<K, V> {
    private static final Logger LOG = LoggerFactory.getLogger(GeneralSender.class);

    private final Producer<byte[], byte[]> delegate;
    private final ProducerWiring wiring;
    private final ProducerChannel channel;
    private final Completions completions;
    private final Lane lane;
    private final LaneFailures failures;
    private final RecordSerializer<K, V> serializer;
    private final ProducerInterceptorChain<K, V> interceptors;
    private final Partitioning partitioning;
    private final Consumer<String> topicCheck;
    private final ToIntFunction<String> partitionCount;
    private final HeaderAdapter headers = new HeaderAdapter();
    private final Map<String, TopicOutput> topics = new ConcurrentHashMap<>();
    private final Duration maxBlock;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * A failed send that the lane does not know; the commit of the transaction reports it. Moved to
     * {@link #failures}, and cleared, under the lock.
     */
    private final AtomicReference<@Nullable ApiException> spoiled = new AtomicReference<>();

    public GeneralSender(ProducerParts<K, V> parts, ProducerChannel channel, Completions completions, Lane lane) {
        this.delegate = parts.delegate();
        this.wiring = parts.wiring();
        this.channel = channel;
        this.completions = completions;
        this.lane = lane;
        this.failures = new LaneFailures(wiring.pair());
        this.serializer = parts.serializer();
        this.interceptors = parts.interceptors();
        this.partitioning = parts.partitioning();
        this.topicCheck = parts.topicCheck();
        this.partitionCount = parts.partitionCount();
        this.maxBlock = parts.maxBlock();
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<K, V> original, @Nullable Callback callback) {
        ProducerRecord<K, V> record = interceptors.onSend(original);
        try {
            return sendIntercepted(record, callback);
        } catch (RuntimeException e) { // As in Kafka's producer, interceptors learn of every end.
            interceptors.onSendError(record, e);
            throw e;
        }
    }

    private Future<RecordMetadata> sendIntercepted(ProducerRecord<K, V> record, @Nullable Callback callback) {
        byte[] key = serializer.key(record);
        byte[] value = serializer.value(record);
        boolean virtual = wiring.topics().matches(record.topic());
        boolean blobs = virtual && wiring.writes() == ProducerWiring.Writes.BLOBS;
        try {
            if (!blobs) {
                return sendPlain(record, key, value, virtual, callback);
            }
            long deadline = deadline(maxBlock);
            if (!topics.containsKey(record.topic())) {
                topicCheck.accept(record.topic());
            }
            awaitRoom(deadline);
            return append(record, key, value, callback, deadline);
        } catch (ApiException e) {
            spoilTransaction(e);
            return failed(record, key, value, callback, e);
        }
    }

    private Future<RecordMetadata> sendPlain(
            ProducerRecord<K, V> record,
            byte @Nullable [] key,
            byte @Nullable [] value,
            boolean virtual,
            @Nullable Callback callback) {
        Integer partition = record.partition();
        if (partition == null && partitioning.custom() != null) {
            lock.lock();
            try {
                partition = partition(output(record.topic()), record, key, value);
            } finally {
                lock.unlock();
            }
        }
        freeze(record);
        ProducerRecord<byte[], byte[]> bytes =
                new ProducerRecord<>(record.topic(), partition, record.timestamp(), key, value, record.headers());
        CompletableFuture<RecordMetadata> result = new CompletableFuture<>();
        delegate.send(bytes, (metadata, failure) -> {
            RecordMetadata shown = virtual && metadata != null && metadata.hasOffset() ? virtual(metadata) : metadata;
            Completion completion = new Completion(
                    new TopicPartition(shown.topic(), shown.partition()),
                    shown.timestamp(),
                    key,
                    value,
                    record.headers(),
                    callback,
                    interceptors);
            if (failure == null) {
                completion.acknowledgeUntouched(shown);
                result.complete(shown);
            } else {
                completion.fail(failure);
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    /** A header that is added later would not be sent. Kafka's producer refuses it too. */
    private static void freeze(ProducerRecord<?, ?> record) {
        if (record.headers() instanceof RecordHeaders own) {
            own.setReadOnly();
        }
    }

    private static RecordMetadata virtual(RecordMetadata real) {
        return new RecordMetadata(
                new TopicPartition(real.topic(), real.partition()),
                VirtualOffset.of(real.offset()),
                VirtualOffset.LAST,
                real.timestamp(),
                real.serializedKeySize(),
                real.serializedValueSize());
    }

    private Future<RecordMetadata> append(
            ProducerRecord<K, V> record,
            byte @Nullable [] key,
            byte @Nullable [] value,
            @Nullable Callback callback,
            long deadline) {
        lockBefore(deadline);
        try {
            recover();
            TopicOutput topic = output(record.topic());
            Integer chosen = record.partition();
            TopicOutput.Slot slot =
                    topic.slot(chosen != null ? chosen : partition(topic, record, key, value), channel.batches());
            freeze(record);
            Long given = record.timestamp();
            long timestamp = given != null ? given : wiring.time().wallMillis();
            Completion completion =
                    new Completion(slot.kafka, timestamp, key, value, record.headers(), callback, interceptors);
            completions.add(slot.partition, completion);
            try {
                slot.output.append(timestamp, key, value, headers.of(record.headers()));
            } catch (dev.blobshuffle.core.failure.RecordTooLargeException e) {
                completions.remove(slot.partition, completion);
                throw new RecordTooLargeException(e.getMessage(), e);
            } catch (BlobShuffleException e) {
                completions.remove(slot.partition, completion);
                throw refused(e);
            }
            return completion;
        } finally {
            lock.unlock();
        }
    }

    /** Another thread may hold the lock while it flushes and waits for the store. */
    private void lockBefore(long deadline) {
        try {
            // Like Kafka's producer, a thread that need not wait does not check for an interrupt.
            if (!lock.tryLock()
                    && !lock.tryLock(Math.max(0, deadline - wiring.time().nanos()), TimeUnit.NANOSECONDS)) {
                throw new TimeoutException("Cannot send: another thread has been flushing for max.block.ms, "
                        + maxBlock.toMillis() + " ms. Raise it, or check the store.");
            }
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private void awaitRoom(long deadline) {
        try {
            if (!completions.awaitRoom(deadline)) {
                throw new BufferExhaustedException(
                        "Cannot send: too many sends await their callbacks. Make the callbacks faster, or send less at once.");
            }
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    /**
     * Without transactions, restarts a failed lane. In a transaction, throws the failure until the
     * abort.
     */
    private void recover() {
        takeSpoiled();
        RuntimeException failure = failures.lost() != null ? failures.lost() : lane.failure();
        if (failure == null) {
            return;
        }
        if (wiring.transactional()) {
            throw failures.onSend(failure);
        }
        channel.failed(failure);
        lane.discard();
        completions.startAgain();
        topics.values().forEach(TopicOutput::refreshSoon);
    }

    private RuntimeException refused(BlobShuffleException cause) {
        if (cause instanceof WaitInterruptedException) {
            return interrupted(cause);
        }
        if (wiring.transactional()) {
            return failures.onSend(cause);
        }
        if (cause instanceof MemoryExhaustedException) {
            BufferExhaustedException full = new BufferExhaustedException(cause.getMessage());
            full.initCause(cause);
            return full;
        }
        return new KafkaException(cause.getMessage(), cause);
    }

    private TopicOutput output(String topic) {
        return topics.computeIfAbsent(
                topic,
                name -> new TopicOutput(
                        name,
                        lane,
                        delegate,
                        wiring.zones(),
                        wiring.time().randomLong(),
                        TopicOutput.Changes.followed(partitionCount)));
    }

    private int partition(
            TopicOutput topic, ProducerRecord<K, V> record, byte @Nullable [] key, byte @Nullable [] value) {
        return partitioning.choose(topic, record, key, value, channel.batches());
    }

    /**
     * Records a failed send for the commit: an application may rely on the commit to report failed
     * sends, and the real producer does not know this one.
     */
    private void spoilTransaction(ApiException failure) {
        if (wiring.transactional()) {
            spoiled.compareAndSet(null, failure);
        }
    }

    /** Under the lock. */
    private void takeSpoiled() {
        ApiException failure = spoiled.getAndSet(null);
        if (failure != null) {
            failures.lose(failure);
        }
    }

    private static InterruptException interrupted(BlobShuffleException cause) {
        return new InterruptException(cause.getMessage(), new InterruptedException(cause.getMessage()));
    }

    private Future<RecordMetadata> failed(
            ProducerRecord<K, V> record,
            byte @Nullable [] key,
            byte @Nullable [] value,
            @Nullable Callback callback,
            ApiException failure) {
        Integer chosen = record.partition();
        int partition = chosen == null ? RecordMetadata.UNKNOWN_PARTITION : chosen;
        Completion completion = new Completion(
                new TopicPartition(record.topic(), partition), 0, key, value, record.headers(), callback, interceptors);
        completion.fail(failure);
        return completion;
    }

    @Override
    public void flush() {
        lockToFlush();
        try {
            lane.flush(wiring.flushTimeout());
        } catch (WaitInterruptedException e) {
            throw interrupted(e);
        } catch (BlobShuffleException e) {
            channel.failed(e); // The sends report it; a transaction refuses its commit.
        } finally {
            lock.unlock();
        }
        delegate.flush();
        awaitCallbacks(wiring.flushTimeout());
    }

    private void lockToFlush() {
        try {
            if (!lock.tryLock()) {
                lock.lockInterruptibly();
            }
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    /**
     * Throws an interrupt as Kafka's producer does: nothing is lost, and the commit can be retried.
     */
    @Override
    public void drain() {
        try {
            drainLane();
        } catch (InterruptException e) {
            throw e;
        } catch (RuntimeException e) {
            awaitCallbacks(wiring.flushTimeout());
            throw e;
        }
        awaitCallbacks(wiring.flushTimeout());
    }

    private void drainLane() {
        lockToFlush();
        try {
            requireNothingLost();
            lane.flush(wiring.flushTimeout());
            requireNothingLost();
        } catch (WaitInterruptedException e) {
            throw interrupted(e);
        } catch (BlobShuffleException e) {
            channel.failed(e);
            throw failures.onCommit(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void requireSound() {
        lockToFlush();
        try {
            requireNothingLost();
            RuntimeException failure = lane.failure();
            if (failure != null) {
                throw failures.onCommit(failure);
            }
        } finally {
            lock.unlock();
        }
    }

    private void requireNothingLost() {
        takeSpoiled();
        RuntimeException lost = failures.lost();
        if (lost != null) {
            throw failures.onCommit(lost);
        }
    }

    private void awaitCallbacks(Duration timeout) {
        try {
            completions.awaitCallbacks(deadline(timeout));
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private long deadline(Duration timeout) {
        return wiring.time().nanos() + timeout.toNanos();
    }

    @Override
    public void discard() {
        lock.lock();
        try {
            lane.discard();
            spoiled.set(null);
            failures.reset();
            completions.failAll(new TransactionAbortedException());
            completions.startAgain();
            topics.values().forEach(TopicOutput::refreshSoon);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close(Duration timeout) {
        long deadline = deadline(timeout);
        acquireToClose(timeout);
        try {
            flushLast(Duration.ofNanos(Math.max(0, deadline - wiring.time().nanos())));
            lane.close();
        } finally {
            lock.unlock();
        }
        completions.failAll(
                new KafkaException("Cannot deliver the record: the producer was closed. Flush before you close."));
        try {
            awaitCallbacks(timeout);
        } finally {
            completions.close();
        }
        if (Thread.currentThread().isInterrupted()) { // As Kafka's producer, although all has ended.
            throw new InterruptException("Closed by an interrupted thread.");
        }
    }

    /**
     * Takes the lock within the timeout. Another thread may hold it for longer while it waits for
     * the store or the broker; then that wait is ended. An interrupted thread takes a free lock
     * too.
     */
    private void acquireToClose(Duration timeout) {
        if (lock.tryLock()) {
            return;
        }
        try {
            if (lock.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lane.giveUp();
        if (!lock.tryLock()) {
            delegate.close(Duration.ZERO); // Ends a wait for the broker too.
            lock.lock();
        }
    }

    private void flushLast(Duration timeout) {
        if (timeout.isZero() || lane.failure() != null || lane.isDrained()) {
            return;
        }
        try {
            lane.flush(timeout.compareTo(wiring.flushTimeout()) < 0 ? timeout : wiring.flushTimeout());
        } catch (BlobShuffleException e) {
            LOG.warn("Closed with records that are not delivered; their sends fail: {}", e.getMessage());
        }
    }
}
