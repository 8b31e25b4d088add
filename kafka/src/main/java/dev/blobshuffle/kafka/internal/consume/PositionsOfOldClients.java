package dev.blobshuffle.kafka.internal.consume;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Supplies the next offsets for Kafka clients before 4.0. Their polls do not return them, so this
 * class queries the consumer's position. Stateless.
 */
public final class PositionsOfOldClients {
    private PositionsOfOldClients() {}

    /**
     * The next offset of each queued partition that has moved. Partitions whose position the
     * consumer does not know yet are left out.
     */
    static Map<TopicPartition, OffsetAndMetadata> after(
            ConsumerRecords<byte[], byte[]> arrived, Consumer<byte[], byte[]> consumer, AssignedPartitions partitions) {
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        for (PartitionProgress progress : partitions.all()) {
            if (progress.started) {
                position(progress, arrived, consumer).ifPresent(offset -> next.put(progress.kafka, offset));
            }
        }
        return next;
    }

    private static Optional<OffsetAndMetadata> position(
            PartitionProgress progress, ConsumerRecords<byte[], byte[]> arrived, Consumer<byte[], byte[]> consumer) {
        long offset;
        try {
            offset = consumer.position(progress.kafka, Duration.ZERO);
        } catch (WakeupException e) {
            consumer.wakeup(); // The position is unknown for now; the next poll ends by the wakeup.
            return Optional.empty();
        } catch (KafkaException e) {
            return Optional.empty(); // Unknown for now, or failed: then the next poll throws it.
        }
        List<ConsumerRecord<byte[], byte[]>> records = arrived.records(progress.kafka);
        OffsetAndMetadata known = progress.realNext();
        if (records.isEmpty() && known != null && known.offset() == offset) {
            return Optional.empty();
        }
        Optional<Integer> epoch = records.isEmpty()
                ? Optional.empty()
                : records.get(records.size() - 1).leaderEpoch();
        return Optional.of(new OffsetAndMetadata(offset, epoch, ""));
    }

    /** The result of a poll in these clients' form. */
    @SuppressWarnings("deprecation") // newer clients have a constructor with next offsets
    static <K, V> ConsumerRecords<K, V> withoutNextOffsets(Map<TopicPartition, List<ConsumerRecord<K, V>>> records) {
        return new ConsumerRecords<>(records);
    }
}
