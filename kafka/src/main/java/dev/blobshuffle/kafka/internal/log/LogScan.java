package dev.blobshuffle.kafka.internal.log;

import dev.blobshuffle.core.time.Time;
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
 * Reads partitions as the brokers hold them, notifications as plain records, from given offsets to
 * the ends that they have when the scan begins. Belongs to no group and commits nothing.
 * Thread-safe: each scan has a consumer of its own.
 */
public final class LogScan {
    private static final Duration POLL = Duration.ofMillis(100);
    /** What a scan holds in memory at once, about. */
    private static final int FETCH_BYTES = 8 << 20;

    private final Map<String, Object> settings;
    private final Time time;

    /**
     * A scan of one cluster.
     *
     * @param client settings of the client: {@code bootstrap.servers} and security
     * @param isolationLevel {@code read_committed} or {@code read_uncommitted}
     * @param time its clock
     */
    public LogScan(Map<String, ?> client, String isolationLevel, Time time) {
        this.time = time;
        settings = new HashMap<>(client);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolationLevel);
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES);
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
    }

    /**
     * Hands out every record from the given offsets on, in order per partition. An offset that the
     * log no longer holds stands for the log's start.
     *
     * @param timeout how long the scan may make no progress
     * @throws IllegalStateException if it makes none for that long
     */
    public void read(
            Map<TopicPartition, Long> starts, Duration timeout, Consumer<ConsumerRecord<byte[], byte[]>> receiver) {
        if (starts.isEmpty()) {
            return;
        }
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(starts.keySet());
            starts.forEach(consumer::seek);
            Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(starts.keySet()));
            long deadline = time.nanos() + timeout.toNanos();
            ends.entrySet().removeIf(end -> starts.getOrDefault(end.getKey(), 0L) >= end.getValue());
            while (!ends.isEmpty()) {
                Map<TopicPartition, Long> before = positions(consumer, ends);
                consumer.poll(POLL).forEach(receiver);
                Map<TopicPartition, Long> after = positions(consumer, ends);
                if (!after.equals(before)) {
                    deadline = time.nanos() + timeout.toNanos();
                } else if (time.nanos() - deadline > 0) {
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
