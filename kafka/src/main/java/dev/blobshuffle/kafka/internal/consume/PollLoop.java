package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.read.RepeatedFailure;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.client.ConsumerWiring;
import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import dev.blobshuffle.kafka.internal.log.NotificationRecord;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Implements the consumer's {@code poll} in rounds. Each round polls the real consumer, which keeps
 * heartbeats and rebalances going. It then queues the new records, starts fetches, and takes
 * records that are ready from the heads of the queues. The first round with records ends the poll.
 * Records taken from the queues are never held across a second real poll, because a rebalance
 * inside it may revoke their partition. A failure is thrown by the first round that takes no record
 * from the queues, and the position stays before it. A later poll that meets the same failure again
 * waits a moment before it throws. Owned by the consumer's thread.
 */
public final class PollLoop<K, V> {
    /**
     * Queued items of a partition above which the real consumer stops fetching it. A single Kafka
     * fetch of notifications can refer to gigabytes.
     */
    private static final int MOST_ITEMS = 2000;

    /**
     * Queued bytes of a partition (of segments, or of plain records in memory) above which the real
     * consumer stops fetching it.
     */
    private static final long MOST_BYTES = 64L << 20;

    /** After this many bytes, a partition returns no more in a poll. */
    private static final long TURN_BYTES = 1L << 20;

    /** The longest wait for a fetch between two real polls. */
    private static final Duration ROUND = Duration.ofMillis(10);

    private final Consumer<byte[], byte[]> delegate;
    private final GroupJoin join;
    private final Debatcher<ConsumerRecord<byte[], byte[]>> debatcher;
    private final AssignedPartitions partitions;
    private final StartResolver starts;
    private final RecordDeserializer<K, V> deserializer;
    private final int maxPollRecords;
    private final Time time;
    private final RepeatedFailure repeated;
    private long deadline;

    /**
     * The failure that blocks this round; thrown if the round has taken no record from the queues.
     */
    private @Nullable RuntimeException obstacle;

    /**
     * The records that blocked partitions in the last poll, which had other records to return. The
     * next poll throws, however busy other partitions are.
     */
    private Map<PartitionProgress, PollResult.Undecodable> postponed = Map.of();

    /** The unusable notifications of this round. */
    private final Map<PartitionProgress, PollResult.Undecodable> unusable = new HashMap<>();

    public PollLoop(
            Consumer<byte[], byte[]> delegate,
            Debatcher<ConsumerRecord<byte[], byte[]>> debatcher,
            AssignedPartitions partitions,
            StartResolver starts,
            RecordDeserializer<K, V> deserializer,
            ConsumerWiring wiring) {
        this.delegate = delegate;
        this.join = new GroupJoin(delegate, wiring.name(), wiring.time());
        this.debatcher = debatcher;
        this.partitions = partitions;
        this.starts = starts;
        this.deserializer = deserializer;
        this.maxPollRecords = wiring.maxPollRecords();
        this.time = wiring.time();
        this.repeated = new RepeatedFailure(time);
    }

    public ConsumerRecords<K, V> poll(Duration timeout) {
        long now = time.nanos();
        deadline = now
                + Math.min(
                        timeout.compareTo(Duration.ofDays(365)) > 0 ? Long.MAX_VALUE / 4 : timeout.toNanos(),
                        Long.MAX_VALUE / 4);
        throwPostponed();
        while (true) {
            starts.startAll(remaining());
            ConsumerRecords<byte[], byte[]> arrived = join.poll(patience());
            PollResult<K, V> result = round(arrived);
            if (obstacle != null && !result.hasQueuedRecords()) {
                Duration delay = repeated.delay(obstacle, remaining());
                if (delay.isZero()) {
                    giveBack(arrived, result);
                    throw repeated.thrown(obstacle);
                }
                if (result.partitions().isEmpty()) {
                    await(delay);
                    continue;
                }
            }
            if (!result.isEmpty()) {
                unusable.putAll(result.undecodable());
                postponed = Map.copyOf(unusable);
                return result.toRecords();
            }
            Duration remaining = remaining();
            if (remaining.isZero()) {
                return ConsumerRecords.empty();
            }
            awaitFetch(remaining);
        }
    }

    /**
     * How long the real poll may wait: not at all while records are being fetched, and briefly
     * while partitions wait for their start.
     */
    private Duration patience() {
        if (debatcher.isReady() || debatcher.isFetching()) {
            return Duration.ZERO;
        }
        return starts.isWaiting() ? shorter(remaining(), ROUND) : remaining();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /**
     * Throws the failure that the last poll postponed, unless the position has moved since or the
     * partition is gone.
     */
    private void throwPostponed() {
        Map<PartitionProgress, PollResult.Undecodable> known = postponed;
        postponed = Map.of();
        known.forEach((progress, record) -> {
            OffsetAndMetadata position =
                    partitions.of(progress.kafka) == progress ? partitions.knownPosition(progress) : null;
            boolean isNext = position != null && position.offset() == progress.offset(record.real(), record.index());
            if (isNext
                    && !progress.pausedByUser
                    && repeated.delay(record.cause(), remaining()).isZero()) {
                throw repeated.thrown(record.cause());
            }
        });
    }

    /**
     * Makes the real consumer read unchanged records again. Other topics may be so busy that every
     * round has such records, and the failure would never be thrown.
     */
    private void giveBack(ConsumerRecords<byte[], byte[]> arrived, PollResult<K, V> result) {
        for (TopicPartition partition : result.partitions()) {
            ConsumerRecord<byte[], byte[]> first = arrived.records(partition).get(0);
            delegate.seek(partition, new OffsetAndMetadata(first.offset(), first.leaderEpoch(), ""));
        }
    }

    /** The remaining time of the current poll; rebalance callbacks inside it use it too. */
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, deadline - time.nanos()));
    }

    private PollResult<K, V> round(ConsumerRecords<byte[], byte[]> arrived) {
        obstacle = null;
        unusable.clear();
        PollResult<K, V> result = new PollResult<>(partitions, deserializer);
        partitions.reconcile();
        Map<TopicPartition, OffsetAndMetadata> realNext = KafkaVersion.HAS_NEXT_OFFSETS
                ? arrived.nextOffsets()
                : PositionsOfOldClients.after(arrived, delegate, partitions);
        for (Map.Entry<TopicPartition, OffsetAndMetadata> next : realNext.entrySet()) {
            PartitionProgress progress = partitions.of(next.getKey());
            if (progress == null) {
                result.nextOffset(next.getKey(), next.getValue());
            } else if (progress.started) {
                progress.realNext(next.getValue());
            }
        }
        for (TopicPartition partition : arrived.partitions()) {
            queue(partition, arrived.records(partition), result);
        }
        debatcher.prefetch();
        drain(result);
        result.undecodable().forEach(this::goBackTo);
        for (TopicPartition partition : result.partitions()) {
            putNext(partition, result);
        }
        for (TopicPartition partition : realNext.keySet()) {
            PartitionProgress progress = partitions.of(partition);
            if (progress != null && progress.started && partitions.isQueueEmpty(progress)) {
                putNext(partition, result);
            }
        }
        balanceFlow();
        return result;
    }

    private void putNext(TopicPartition partition, PollResult<K, V> result) {
        PartitionProgress progress = partitions.of(partition);
        OffsetAndMetadata next = progress == null ? null : partitions.knownPosition(progress);
        if (next != null) {
            result.nextOffset(partition, next);
        }
    }

    private void queue(
            TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> records, PollResult<K, V> result) {
        PartitionProgress progress = partitions.of(partition);
        if (progress == null) {
            if (!partitions.isQueued(partition)) {
                passUntouched(partition, records, result);
            }
            return; // Otherwise it was revoked meanwhile, and its next owner reads the records.
        }
        if (!progress.started) {
            // The record came before the committed offset was known. Read it again from there, or
            // from here if nothing is committed.
            ConsumerRecord<byte[], byte[]> first = records.get(0);
            partitions.seek(progress, new OffsetAndMetadata(first.offset(), first.leaderEpoch(), ""));
            return;
        }
        if (progress.isBack(records.get(0).offset())) {
            // The log starts again: the topic was recreated, the broker lost the end, or a seek
            // went beyond it.
            partitions.emptyQueue(progress);
            starts.wasReset(progress);
        }
        for (ConsumerRecord<byte[], byte[]> record : records) {
            try {
                offer(progress, record);
            } catch (BlobShuffleException e) {
                readAgain(progress, record, e);
                return;
            }
        }
    }

    private void offer(PartitionProgress progress, ConsumerRecord<byte[], byte[]> record) {
        if (progress.virtual && NotificationRecord.isNotification(record)) {
            if (!progress.delivered.givenUp().contains(record.offset())) {
                int index = progress.startIndex(record.offset());
                debatcher.offer(
                        progress.partition, record.offset(), NotificationCodec.decode(record.value()), index, record);
            }
        } else {
            refuseNotification(record);
            long bytes = Math.max(0, record.serializedKeySize()) + (long) Math.max(0, record.serializedValueSize());
            debatcher.offer(progress.partition, record.offset(), bytes, record);
        }
        progress.offered(record.offset());
    }

    /**
     * An unusable notification stops its partition once everything before it has been returned.
     * Until then it is read again.
     */
    private void readAgain(
            PartitionProgress progress, ConsumerRecord<byte[], byte[]> record, BlobShuffleException reason) {
        partitions.seek(progress, new OffsetAndMetadata(record.offset(), record.leaderEpoch(), ""));
        progress.realNext(new OffsetAndMetadata(record.offset(), record.leaderEpoch(), ""));
        if (partitions.isQueueEmpty(progress)) {
            KafkaException failure = failure(reason);
            obstacle = failure;
            int index = progress.startIndex(record.offset());
            unusable.put(progress, new PollResult.Undecodable(record.offset(), index, record.leaderEpoch(), failure));
        }
    }

    private void drain(PollResult<K, V> result) {
        try {
            debatcher.drain(maxPollRecords, TURN_BYTES, result);
        } catch (BlobShuffleException e) {
            obstacle = failure(e);
        }
    }

    /**
     * Reads an undecodable record again in the next poll, which throws if it comes first. The
     * application may seek past it.
     */
    private void goBackTo(PartitionProgress progress, PollResult.Undecodable record) {
        partitions.rewind(
                progress, record.real(), record.index(), new OffsetAndMetadata(record.real(), record.epoch(), ""));
        if (obstacle == null) {
            obstacle = record.cause();
        }
    }

    /**
     * Pauses the real consumer for partitions with long queues, and resumes it when they are half
     * empty.
     */
    private void balanceFlow() {
        for (PartitionProgress progress : partitions.all()) {
            int items = debatcher.queuedItems(progress.partition);
            long bytes = debatcher.queuedBytes(progress.partition);
            if (!progress.pausedInside && (items > MOST_ITEMS || bytes > MOST_BYTES)) {
                partitions.pauseInside(progress);
            } else if (progress.pausedInside
                    && progress.started
                    && items <= MOST_ITEMS / 2
                    && bytes <= MOST_BYTES / 2) {
                partitions.resumeInside(progress);
            }
        }
    }

    private void awaitFetch(Duration remaining) {
        if (!debatcher.isFetching() || debatcher.isReady()) {
            return;
        }
        try {
            debatcher.awaitProgress(shorter(remaining, ROUND));
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private void await(Duration delay) {
        try {
            repeated.await(delay);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private static KafkaException failure(BlobShuffleException cause) {
        return new KafkaException(cause.getMessage(), cause);
    }

    private void passUntouched(
            TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> records, PollResult<K, V> result) {
        try {
            records.forEach(PollLoop::refuseNotification);
        } catch (InvalidSettingsException e) {
            throw failure(e);
        }
        result.pass(partition, records);
    }

    private static void refuseNotification(ConsumerRecord<byte[], byte[]> record) {
        if (NotificationRecord.isNotification(record)) {
            throw new InvalidSettingsException(
                    "Cannot hand out the record of " + record.topic() + "-" + record.partition() + ", offset "
                            + record.offset()
                            + ": it is a notification, but the topic does not shuffle through blobs here. Give every client"
                            + " of the topic the same blobshuffle.topics.include and blobshuffle.topics.exclude.");
        }
    }
}
