package dev.blobshuffle.messaging.internal.publish;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.failure.MemoryExhaustedException;
import dev.blobshuffle.core.failure.WaitInterruptedException;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.write.deliver.PendingAnswers;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.log.internal.publish.LogChannel;
import dev.blobshuffle.messaging.Acknowledgement;
import dev.blobshuffle.messaging.OutgoingRecord;
import dev.blobshuffle.messaging.Publisher;
import dev.blobshuffle.messaging.Serde;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A publisher over a commit log: one lane of the engine, whose channel is the log. Thread-safe: the
 * lock guards the lane. Outside transactions, a lost batch fails its publishes, and the lane
 * restarts. In a transaction, the failure stays until the transaction ends.
 */
public final class LogPublisher<K, V> implements Publisher<K, V> {
    private static final Duration LONGEST_CALL = Duration.ofSeconds(60);
    private static final Duration LONGEST_CLOSE_WAIT = Duration.ofSeconds(5);

    /**
     * Limit on topics. Above it, topics without waiting records are removed, the least recently
     * used first.
     */
    private static final int TOPICS = 500;

    private final String name;
    private final PublisherParts parts;
    private final Serde<K> keys;
    private final Serde<V> values;
    private final Time time;
    private final Writer writer;
    private final PendingAnswers<Promise> promises;
    private final LogChannel channel;
    private final Lane lane;
    private final RecordHeaders headers = new RecordHeaders();

    /** By topic, the least recently used first. */
    private final Map<String, TopicOutput> outputs = new LinkedHashMap<>(16, 0.75f, true);

    /** The numbers of the topics that have an output, for the channel's threads. */
    private final Map<String, Integer> numbers = new ConcurrentHashMap<>();

    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Thread transacting;
    private boolean isClosed;

    private LogPublisher(PublisherParts parts, String name, Writer writer, Serde<K> keys, Serde<V> values) {
        this.parts = parts;
        this.name = name;
        this.keys = keys;
        this.values = values;
        this.writer = writer;
        time = parts.time();
        promises = new PendingAnswers<>(time, Promise::completeExceptionally);
        channel = new LogChannel(
                writer, this::number, new Promises(promises), parts.sequencer(), time, parts.deliveryTimeout());
        lane = parts.engine().lane(name, channel);
    }

    /**
     * Opens a publisher and fences its predecessor. Blocks.
     *
     * @throws dev.blobshuffle.log.failure.LogUnavailableException recoverable: the log does not
     *     answer
     */
    public static <K, V> LogPublisher<K, V> open(PublisherParts parts, String name, Serde<K> keys, Serde<V> values) {
        Writer writer = CommitLogs.await(parts.log().open(name), LONGEST_CALL, "open publisher " + name, parts.time());
        return new LogPublisher<>(parts, name, writer, keys, values);
    }

    private int number(String topic) {
        Integer number = numbers.get(topic);
        if (number == null) {
            throw new IllegalStateException(
                    "Cannot commit to topic " + topic + ": this publisher has no record for it. Report it.");
        }
        return number;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public CompletionStage<Acknowledgement> publish(OutgoingRecord<K, V> record) {
        String topic = record.topic();
        K key = record.key();
        V value = record.value();
        byte[] keyBytes = key == null ? null : keys.serialize(topic, key);
        byte[] valueBytes = value == null ? null : values.serialize(topic, value);
        long deadline = time.nanos() + parts.deliveryTimeout().toNanos();
        awaitRoom(deadline);
        LogTopic described = described(record);
        lock(deadline);
        try {
            checkUsable();
            recover();
            return append(described, record, keyBytes, valueBytes);
        } finally {
            lock.unlock();
        }
    }

    /** The record's topic; queries the log if the cached topic lacks the record's partition. */
    private LogTopic described(OutgoingRecord<K, V> record) {
        LogTopic known = parts.catalog().require(record.topic());
        boolean isInside = record.partition().orElse(0) < known.partitions();
        return isInside ? known : parts.catalog().ask(record.topic());
    }

    private CompletionStage<Acknowledgement> append(
            LogTopic described, OutgoingRecord<K, V> record, byte @Nullable [] key, byte @Nullable [] value) {
        TopicOutput output = output(described);
        int chosen = record.partition().isPresent() ? record.partition().getAsInt() : output.choose(key);
        if (output.topic().number() != described.number()
                && chosen >= output.topic().partitions()) {
            throw new TopicAbsentException("Cannot publish to topic " + described.name()
                    + ": it was made again, and records wait for the former one. Flush, or end the transaction.");
        }
        TopicOutput.Slot slot = slot(output, chosen);
        long timestamp = record.timestamp().isPresent() ? record.timestamp().getAsLong() : time.wallMillis();
        Promise promise = new Promise(slot.named, timestamp);
        promises.add(slot.partition, promise);
        try {
            slot.output.append(timestamp, key, value, headers.of(record.headers()));
        } catch (RuntimeException | Error e) { // Otherwise later answers would go to earlier publishes.
            promises.remove(slot.partition, promise);
            throw e;
        }
        return promise;
    }

    /**
     * The output to a topic. If the topic was recreated, waiting records belong to the former one.
     * Then later records join them, and the flush of all fails.
     */
    private TopicOutput output(LogTopic described) {
        TopicOutput output = outputs.get(described.name());
        if (output != null && output.topic().number() != described.number()) {
            if (!output.endIfIdle(promises)) {
                return output;
            }
            output = null;
        }
        if (output == null) {
            forgetIdle(TOPICS - 1);
            output = new TopicOutput(lane, described, parts.homes().of(described), time.randomLong());
            outputs.put(described.name(), output);
            numbers.put(described.name(), described.number());
        }
        output.update(described);
        return output;
    }

    /**
     * The output to a partition. If the write buffer has no room for another, idle outputs are
     * removed.
     */
    private TopicOutput.Slot slot(TopicOutput output, int partition) {
        try {
            return output.slot(partition);
        } catch (MemoryExhaustedException e) {
            forgetIdle(1);
            return output.slot(partition);
        }
    }

    /** Removes topics without waiting records until the limit is met. The last used one stays. */
    private void forgetIdle(int most) {
        int excess = outputs.size() - most;
        if (excess <= 0) {
            return;
        }
        List<TopicOutput> eldest = new ArrayList<>(outputs.values());
        for (TopicOutput each : eldest.subList(0, eldest.size() - 1)) {
            if (excess > 0 && each.endIfIdle(promises)) {
                forget(each.topic());
                excess--;
            }
        }
    }

    private void forget(LogTopic topic) {
        outputs.remove(topic.name());
        numbers.remove(topic.name());
        parts.homes().forget(topic);
        parts.catalog().forget(topic.name());
    }

    /** Number of topics with an output. */
    int topics() {
        lock.lock();
        try {
            return outputs.size();
        } finally {
            lock.unlock();
        }
    }

    private void awaitRoom(long deadline) {
        try {
            if (!promises.awaitRoom(deadline)) {
                throw new MemoryExhaustedException("Cannot publish: too many publishes wait for their answers. Make the"
                        + " callbacks faster, or publish less at once.");
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Another thread may hold the lock while it flushes and waits for the store. */
    private void lock(long deadline) {
        try {
            if (!lock.tryLock() && !lock.tryLock(Math.max(0, deadline - time.nanos()), TimeUnit.NANOSECONDS)) {
                throw new MemoryExhaustedException(
                        "Cannot use publisher " + name
                                + ": another thread has been flushing it for the delivery timeout. Check the store and the log.");
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private WaitInterruptedException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new WaitInterruptedException(
                "Cannot use publisher " + name + ": the thread was interrupted. Try again.", cause);
    }

    private void checkUsable() {
        if (isClosed) {
            throw new ClosedException("Cannot use publisher " + name + ": it is closed. Open another one.");
        }
        if (transacting != null && transacting != Thread.currentThread()) {
            throw new IllegalStateException("Cannot use publisher " + name
                    + ": another thread has a transaction of it. Use a publisher per thread.");
        }
    }

    /** Throws a failure, and restarts the lane unless a transaction must end first. */
    private void recover() {
        Optional<RuntimeException> end = channel.end();
        if (end.isPresent()) {
            throw end.get();
        }
        RuntimeException failure = lane.failure();
        if (failure != null) {
            if (transacting == null) {
                beginAgain(failure);
            }
            throw failure;
        }
    }

    private void beginAgain(RuntimeException cause) {
        lane.discard();
        channel.drop(cause);
        promises.failWaiting(cause);
        promises.startAgain();
        forgetTopics(cause);
    }

    /** Removes cached topics if one of them was absent. */
    private void forgetTopics(RuntimeException cause) {
        if (cause instanceof TopicAbsentException || cause.getCause() instanceof TopicAbsentException) {
            outputs.keySet().forEach(parts.catalog()::forget);
        }
    }

    @Override
    public void flush(Duration timeout) {
        lock(time.nanos() + parts.deliveryTimeout().toNanos());
        try {
            checkUsable();
            recover();
            lane.flush(timeout);
        } catch (WaitInterruptedException e) {
            throw e;
        } catch (BlobShuffleException e) {
            throw lost(e);
        } finally {
            lock.unlock();
        }
        awaitCallbacks(timeout);
    }

    /**
     * The failure that a flush reports: the end of the channel takes precedence over its effect on
     * the lane.
     */
    private RuntimeException lost(BlobShuffleException failure) {
        if (lane.failure() != null && transacting == null) {
            beginAgain(failure);
        }
        Optional<RuntimeException> end = channel.end();
        if (end.isPresent()) {
            return end.get();
        }
        return failure.getCause() instanceof TopicAbsentException absent ? absent : failure;
    }

    private void awaitCallbacks(Duration timeout) {
        try {
            boolean ignored = promises.awaitAnswered(time.nanos() + timeout.toNanos());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /**
     * Begins a transaction in the log's database. Everything that this thread publishes from now on
     * belongs to it. Blocks.
     *
     * @throws IllegalStateException a transaction is open
     */
    public LogTransaction beginTransaction() {
        lock(time.nanos() + parts.deliveryTimeout().toNanos());
        try {
            checkUsable();
            if (transacting != null) {
                throw new IllegalStateException(
                        "Cannot begin a transaction of publisher " + name + ": one is open. Close it first.");
            }
            recover();
            lane.flush(parts.deliveryTimeout().multipliedBy(2));
            channel.hold();
            transacting = Thread.currentThread();
            try {
                return CommitLogs.await(writer.begin(), LONGEST_CALL, "begin a transaction of " + name, time);
            } catch (RuntimeException e) {
                endTransaction(e);
                throw e;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stores everything published since the transaction began, and commits it with consumed
     * positions. If this fails, abort the transaction.
     *
     * @throws BlobShuffleException nothing is committed, unless it is
     *     {@code OutcomeUnknownException}
     */
    public void commitTransaction(LogTransaction transaction, Optional<Consumed> consumed) {
        lock.lock();
        try {
            checkUsable();
            recover();
            lane.flush(parts.deliveryTimeout().multipliedBy(2));
            List<Long> ignored = channel.commitInto(transaction, consumed);
            transacting = null;
        } catch (RuntimeException e) {
            forgetTopics(e);
            throw e;
        } finally {
            lock.unlock();
        }
        awaitCallbacks(parts.deliveryTimeout());
    }

    /** Drops everything published since the transaction began. */
    public void abortTransaction() {
        lock.lock();
        try {
            if (!isClosed && transacting != null) {
                endTransaction(new DeliveryFailedException(
                        "Cannot publish the record: its transaction was rolled back. Publish it again."));
            }
        } finally {
            lock.unlock();
        }
    }

    private void endTransaction(RuntimeException cause) {
        transacting = null;
        beginAgain(cause);
    }

    /**
     * Whether the transaction with the unknown outcome was committed. Ends this publisher. Blocks.
     */
    public boolean wasCommitted() {
        return CommitLogs.await(
                channel.wasCommitted(), LONGEST_CALL, "find out whether " + name + " has committed", time);
    }

    @Override
    public void close() {
        acquireToClose();
        RuntimeException failure = null;
        try {
            if (isClosed) {
                return;
            }
            if (transacting != null) {
                endTransaction(new DeliveryFailedException(
                        "Cannot publish the record: the publisher was closed in a transaction. Publish it again."));
            }
            failure = flushLast();
            isClosed = true;
            lane.close();
            channel.close();
            promises.failWaiting(new ClosedException(
                    "Cannot publish the record: publisher " + name + " was closed. Flush before you close."));
        } finally {
            lock.unlock();
        }
        promises.close();
        parts.closed().accept(this);
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Takes the lock. Another thread may hold it while it waits for the store or the log; that wait
     * is ended. An interrupted thread takes a free lock too.
     */
    private void acquireToClose() {
        if (lock.tryLock()) {
            return;
        }
        try {
            if (lock.tryLock(LONGEST_CLOSE_WAIT.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lane.giveUp();
        lock.lock();
    }

    private @Nullable RuntimeException flushLast() {
        if (lane.isDrained() || channel.end().isPresent()) {
            return null;
        }
        try {
            RuntimeException lost = lane.failure();
            if (lost == null) {
                lane.flush(parts.deliveryTimeout());
            }
            return lost;
        } catch (BlobShuffleException e) {
            return e;
        }
    }
}
