package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.position.CommitTranslation;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Answers queries about offsets. For topics that shuffle through blobs, translates real to virtual
 * offsets. Owned by the consumer's thread.
 */
public final class OffsetQueries {
    private final Consumer<byte[], byte[]> delegate;
    private final AssignedPartitions partitions;
    private final StartResolver starts;
    private final @Nullable RecordTimes recordTimes;
    private final Time time;

    /** @param recordTimes null: an answer about a time is the start of a segment */
    public OffsetQueries(
            Consumer<byte[], byte[]> delegate,
            AssignedPartitions partitions,
            StartResolver starts,
            @Nullable RecordTimes recordTimes,
            Time time) {
        this.delegate = delegate;
        this.partitions = partitions;
        this.starts = starts;
        this.recordTimes = recordTimes;
        this.time = time;
    }

    /**
     * The consumer's position: that of the next record in the queue, or else the real consumer's.
     */
    public long position(TopicPartition partition, Duration timeout) {
        PartitionProgress progress = partitions.of(partition);
        if (progress == null) {
            return delegate.position(partition, timeout);
        }
        Duration remaining = timeout;
        if (!progress.started || partitions.knownPosition(progress) == null) {
            long asked = time.nanos();
            // As in Kafka's consumer, which afterwards knows all positions and commits them.
            starts.startForQuery(progress.leaving ? List.of(progress) : partitions.notStarted(), timeout);
            Duration taken = Duration.ofNanos(time.nanos() - asked);
            remaining = taken.compareTo(timeout) < 0 ? timeout.minus(taken) : Duration.ZERO;
        }
        if (progress.notBefore().isPresent()) {
            startAtRecord(progress, progress.notBefore().getAsLong(), remaining);
        }
        if (!partitions.isQueueEmpty(progress)) {
            OffsetAndMetadata known = partitions.knownPosition(progress);
            if (known != null) {
                return known.offset();
            }
        }
        return realPosition(progress, remaining);
    }

    /** The real consumer only knows in which segment the first record at or after a time is. */
    private void startAtRecord(PartitionProgress progress, long timestamp, Duration timeout) {
        OffsetAndTimestamp first =
                times(Map.of(progress.kafka, timestamp), timeout).get(progress.kafka);
        if (first != null) {
            long real = VirtualOffset.real(first.offset());
            OffsetAndMetadata seek = new OffsetAndMetadata(real, first.leaderEpoch(), "");
            partitions.rewind(progress, real, VirtualOffset.index(first.offset()), seek);
        }
    }

    private long realPosition(PartitionProgress progress, Duration timeout) {
        long real = delegate.position(progress.kafka, timeout);
        return progress.offset(real, progress.startIndex(real));
    }

    /**
     * The positions of the whole assignment that are known without waiting; a commit without
     * arguments commits them.
     */
    public Map<TopicPartition, OffsetAndMetadata> positions() {
        Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
        partitions.reconcile();
        for (TopicPartition partition : delegate.assignment()) {
            PartitionProgress progress = partitions.of(partition);
            if (progress != null && progress.leaving) {
                continue; // The real consumer's position is beyond records that were dropped.
            }
            OffsetAndMetadata known = progress == null || !progress.started ? null : partitions.knownPosition(progress);
            if (known != null) {
                positions.put(partition, known);
            } else if (progress == null || progress.started) {
                putRealPosition(partition, progress, positions);
            }
        }
        return positions;
    }

    private void putRealPosition(
            TopicPartition partition,
            @Nullable PartitionProgress progress,
            Map<TopicPartition, OffsetAndMetadata> positions) {
        try {
            long position = progress == null
                    ? delegate.position(partition, Duration.ZERO)
                    : realPosition(progress, Duration.ZERO);
            positions.put(partition, new OffsetAndMetadata(position));
        } catch (TimeoutException | InvalidOffsetException e) {
            // No position yet, so there is nothing to commit. Kafka's own consumer does the same.
        } catch (WakeupException e) {
            // As above. Kafka's consumer does not wait here, so the wakeup is for a later call.
            delegate.wakeup();
        }
    }

    public Map<TopicPartition, OffsetAndMetadata> committed(Map<TopicPartition, OffsetAndMetadata> real) {
        return translate(real, CommitTranslation::toVirtual);
    }

    public Map<TopicPartition, Long> offsets(Map<TopicPartition, Long> real) {
        return translate(real, VirtualOffset::of);
    }

    /**
     * The first records at or after given times. The broker finds the segment; if this consumer
     * cannot read the segment, the answer is its start.
     */
    public Map<TopicPartition, OffsetAndTimestamp> times(Map<TopicPartition, Long> times, Duration timeout) {
        long asked = time.nanos();
        Map<TopicPartition, OffsetAndTimestamp> real = delegate.offsetsForTimes(times, timeout);
        if (recordTimes == null) {
            return translate(
                    real,
                    at -> new OffsetAndTimestamp(VirtualOffset.of(at.offset()), at.timestamp(), at.leaderEpoch()));
        }
        Map<TopicPartition, OffsetAndTimestamp> found = new HashMap<>(real);
        found.entrySet().removeIf(at -> at.getValue() == null || !partitions.isVirtual(at.getKey()));
        if (found.isEmpty()) {
            return real;
        }
        Map<TopicPartition, OffsetAndTimestamp> result = new HashMap<>(real);
        result.putAll(recordTimes.find(found, times, timeout.minusNanos(time.nanos() - asked)));
        return result;
    }

    /** Translates the values of matching topics. A null value, Kafka's "no answer", stays. */
    private <T> Map<TopicPartition, T> translate(Map<TopicPartition, T> real, UnaryOperator<T> toVirtual) {
        Map<TopicPartition, T> result = new HashMap<>(real);
        result.replaceAll((partition, value) ->
                value != null && partitions.isVirtual(partition) ? toVirtual.apply(value) : value);
        return result;
    }
}
