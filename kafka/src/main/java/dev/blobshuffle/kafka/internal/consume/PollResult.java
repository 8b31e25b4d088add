package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.kafka.internal.client.HeaderAdapter;
import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Collects the result of one {@code poll}: original records with virtual offsets, and the next
 * offset of each partition that moved. A record that cannot be deserialized ends its partition's
 * part. Used once. Owned by the consumer's thread.
 */
public final class PollResult<K, V> implements Debatcher.Sink<ConsumerRecord<byte[], byte[]>> {
    /** Initial capacity for a partition's records; rarely exceeded. */
    private static final int USUAL_RECORDS = 256;

    private final AssignedPartitions assigned;
    private final RecordDeserializer<K, V> deserializer;
    private final Map<TopicPartition, List<ConsumerRecord<K, V>>> records = new LinkedHashMap<>();
    private final Map<TopicPartition, OffsetAndMetadata> nextOffsets = new HashMap<>();
    private final Map<PartitionProgress, Undecodable> undecodable = new LinkedHashMap<>();

    /** Number of partitions whose records are passed on unchanged. */
    private int passed;

    /** The current partition; records arrive partition by partition. */
    private @Nullable Partition turn;

    /** The progress of the current partition; null if its part of the result has ended. */
    private @Nullable PartitionProgress progress;

    /**
     * The list for the partition's records; a list of its own replaces it with the first record.
     */
    private List<ConsumerRecord<K, V>> target = List.of();

    /**
     * End of the offsets that are recorded as returned in this turn. The records of a segment share
     * one offset, which is recorded once.
     */
    private long notedEnd;

    PollResult(AssignedPartitions assigned, RecordDeserializer<K, V> deserializer) {
        this.assigned = assigned;
        this.deserializer = deserializer;
    }

    boolean isEmpty() {
        return records.isEmpty() && nextOffsets.isEmpty();
    }

    /** Whether it has records from the queues; these cannot be put back. */
    boolean hasQueuedRecords() {
        return records.size() > passed;
    }

    /** Adds records that are passed on unchanged. */
    void pass(TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> untouched) {
        records.put(partition, deserializer.untouched(untouched));
        passed++;
    }

    void nextOffset(TopicPartition partition, OffsetAndMetadata next) {
        nextOffsets.put(partition, next);
    }

    /** The partitions with records so far. */
    Set<TopicPartition> partitions() {
        return records.keySet();
    }

    Map<PartitionProgress, Undecodable> undecodable() {
        return undecodable;
    }

    ConsumerRecords<K, V> toRecords() {
        // Kafka 3.9 has no place for the next offsets; its Kafka Streams queries positions instead.
        return KafkaVersion.HAS_NEXT_OFFSETS
                ? new ConsumerRecords<>(records, nextOffsets)
                : PositionsOfOldClients.withoutNextOffsets(records);
    }

    @Override
    public void record(
            Partition partition,
            long offset,
            int index,
            int count,
            RecordView view,
            ConsumerRecord<byte[], byte[]> carrier) {
        PartitionProgress at = turnTo(partition);
        if (at == null) {
            return;
        }
        long shownTimestamp =
                carrier.timestampType() == TimestampType.LOG_APPEND_TIME ? carrier.timestamp() : view.timestamp();
        if (at.isBeforeStart(offset, shownTimestamp)) {
            return;
        }
        byte[] key = view.key();
        byte[] value = view.value();
        try {
            add(deserializer.record(
                    at.kafka,
                    VirtualOffset.ofRecord(offset, index, count),
                    shownTimestamp,
                    key,
                    value,
                    HeaderAdapter.toKafka(view.headers()),
                    carrier));
        } catch (RuntimeException e) {
            end(at, new Undecodable(offset, index, carrier.leaderEpoch(), e));
            return;
        }
        if (offset >= notedEnd) {
            at.delivered(offset, count, carrier.leaderEpoch());
            notedEnd = offset + 1;
        }
    }

    @Override
    public void plain(Partition partition, long offset, ConsumerRecord<byte[], byte[]> plain) {
        PartitionProgress at = turnTo(partition);
        if (at == null || at.isBeforeStart(offset, Long.MAX_VALUE)) {
            return;
        }
        try {
            add(deserializer.record(
                    at.kafka,
                    at.offset(offset, VirtualOffset.LAST),
                    plain.timestamp(),
                    plain.key(),
                    plain.value(),
                    plain.headers(),
                    plain));
        } catch (RuntimeException e) {
            end(at, new Undecodable(offset, 0, plain.leaderEpoch(), e));
            return;
        }
        at.delivered(offset, 1, plain.leaderEpoch());
    }

    private void add(ConsumerRecord<K, V> record) {
        if (target.isEmpty()) {
            target = new ArrayList<>(USUAL_RECORDS);
            records.put(new TopicPartition(record.topic(), record.partition()), target);
        }
        target.add(record);
    }

    private void end(PartitionProgress at, Undecodable reason) {
        undecodable.put(at, reason);
        progress = null;
    }

    private @Nullable PartitionProgress turnTo(Partition partition) {
        if (partition != turn) {
            turn = partition;
            notedEnd = 0;
            PartitionProgress next = assigned.of(new TopicPartition(partition.stream(), partition.number()));
            List<ConsumerRecord<K, V>> begun = next == null ? null : records.get(next.kafka);
            target = begun == null ? List.of() : begun;
            progress = next == null || undecodable.containsKey(next) ? null : next;
        }
        return progress;
    }

    /**
     * A record that ends its partition's part of the result.
     *
     * @param real real offset of its notification, or its own
     * @param index its index in the segment
     * @param epoch leader epoch of the record at that offset
     * @param cause the exception of the deserializer
     */
    record Undecodable(long real, int index, Optional<Integer> epoch, RuntimeException cause) {}
}
