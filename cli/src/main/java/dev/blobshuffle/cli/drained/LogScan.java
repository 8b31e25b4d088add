package dev.blobshuffle.cli.drained;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads partitions as the brokers hold them, notifications as plain records, from given offsets to the ends that they have when the scan begins. Belongs to no group
 * and commits nothing. Thread-safe: each scan has a consumer of its own.
 */
public final class LogScan {
    private static final Duration POLL = Duration.ofMillis(100);

    private final Map<String, Object> settings;

    /**
     * A scan of one cluster.
     *
     * @param client settings of the client: {@code bootstrap.servers} and security
     * @param isolationLevel {@code read_committed} or {@code read_uncommitted}
     */
    public LogScan(Map<String, ?> client, String isolationLevel) {
        settings = new HashMap<>(client);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolationLevel);
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
    }

    /**
     * Hands out every record from the given offsets on, in order per partition. An offset that the log no longer holds stands for the log's start.
     *
     * @param timeout how long the scan may make no progress
     * @throws IllegalStateException if it makes none for that long
     */
    public void read(
            Map<TopicPartition, Long> starts, Duration timeout, Consumer<ConsumerRecord<byte[], byte[]>> receiver) {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(starts.keySet());
            starts.forEach(consumer::seek);
            Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(starts.keySet()));
            long deadline = System.nanoTime() + timeout.toNanos();
            ends.entrySet().removeIf(end -> starts.getOrDefault(end.getKey(), 0L) >= end.getValue());
            while (!ends.isEmpty()) {
                Map<TopicPartition, Long> before = positions(consumer, ends);
                consumer.poll(POLL).forEach(receiver);
                Map<TopicPartition, Long> after = positions(consumer, ends);
                if (!after.equals(before)) {
                    deadline = System.nanoTime() + timeout.toNanos();
                } else if (System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException("Cannot read to the ends of partitions: no progress for "
                            + timeout.toSeconds() + " s at " + after + ", ends " + ends + ". Are the brokers there?");
                }
                ends.entrySet().removeIf(end -> after.getOrDefault(end.getKey(), 0L) >= end.getValue());
            }
        }
    }

    private static Map<TopicPartition, Long> positions(
            KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        Map<TopicPartition, Long> positions = new HashMap<>();
        ends.keySet().forEach(partition -> positions.put(partition, consumer.position(partition)));
        return positions;
    }
}
