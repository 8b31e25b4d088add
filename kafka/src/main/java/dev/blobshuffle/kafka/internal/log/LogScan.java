package dev.blobshuffle.kafka.internal.log;

import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads partitions as the brokers store them: a notification is a plain record. A scan begins at
 * given offsets and ends where the partitions end when it begins. It belongs to no group and
 * commits nothing. Thread-safe: each scan has its own consumer.
 */
public final class LogScan {
    private static final Duration POLL = Duration.ofMillis(100);
    /** Approximate bytes that a scan holds in memory. */
    private static final int FETCH_BYTES = 8 << 20;
    /**
     * How long a broker holds a fetch that finds nothing. A scan has such a fetch in flight when it
     * reaches the ends, and closing the consumer waits for the answer: half a second with Kafka's
     * default.
     */
    private static final int FETCH_WAIT_MS = 50;
    /** How long a scan waits for records that the brokers do not return yet. */
    private static final Duration HIDDEN = Duration.ofSeconds(10);

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
        settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_WAIT_MS);
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
    }

    /**
     * Passes every record from the given offsets on to the receiver, in order per partition. If the
     * log no longer holds an offset, the scan begins at the log's start.
     *
     * @param timeout longest time without progress
     * @throws IllegalStateException if the scan makes no progress for that long
     */
    public void read(
            Map<TopicPartition, Long> starts, Duration timeout, Consumer<ConsumerRecord<byte[], byte[]>> receiver) {
        if (starts.isEmpty()) {
            return;
        }
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(starts)) {
            Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(starts.keySet()));
            advance(consumer, ends, timeout, receiver);
            requireNone(consumer, ends, timeout);
        }
    }

    /**
     * Passes every record between the given offsets and the given ends to the receiver, in order
     * per partition. An end may be above the high watermark. The scan waits a limited time for
     * records that the brokers do not return yet.
     *
     * @param ends of the same partitions
     * @param timeout longest time without progress
     * @return the partitions whose last records the brokers still do not return
     * @throws IllegalStateException if the scan makes no progress in another partition for that
     *     long
     */
    Set<TopicPartition> read(
            Map<TopicPartition, Long> starts,
            Map<TopicPartition, Long> ends,
            Duration timeout,
            Consumer<ConsumerRecord<byte[], byte[]>> receiver) {
        Set<TopicPartition> hidden = new HashSet<>();
        if (starts.isEmpty()) {
            return hidden;
        }
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(starts)) {
            Map<TopicPartition, Long> left = new HashMap<>(ends);
            Duration patience = timeout.compareTo(HIDDEN) < 0 ? timeout : HIDDEN;
            advance(consumer, left, patience, receiver);
            while (!left.isEmpty()) {
                Map<TopicPartition, Long> visible = consumer.endOffsets(left.keySet());
                Set<TopicPartition> unseen = new HashSet<>(left.keySet());
                unseen.removeIf(partition -> consumer.position(partition) < visible.getOrDefault(partition, 0L));
                left.keySet().removeAll(unseen);
                hidden.addAll(unseen);
                boolean isStuck = !advance(consumer, left, timeout, receiver);
                if (isStuck) {
                    requireNone(consumer, left, timeout);
                }
            }
        }
        return hidden;
    }

    private KafkaConsumer<byte[], byte[]> consumer(Map<TopicPartition, Long> starts) {
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.assign(starts.keySet());
        starts.forEach(consumer::seek);
        return consumer;
    }

    /**
     * Reads until all ends are reached, or no records arrive for a time. Removes finished
     * partitions.
     *
     * @return whether there was progress
     */
    private boolean advance(
            KafkaConsumer<byte[], byte[]> consumer,
            Map<TopicPartition, Long> ends,
            Duration patience,
            Consumer<ConsumerRecord<byte[], byte[]>> receiver) {
        long deadline = time.nanos() + patience.toNanos();
        boolean hasAdvanced = removeDone(consumer, ends);
        while (!ends.isEmpty() && time.nanos() - deadline < 0) {
            Map<TopicPartition, Long> before = positions(consumer, ends);
            consumer.poll(POLL).forEach(receiver);
            if (!positions(consumer, ends).equals(before)) {
                deadline = time.nanos() + patience.toNanos();
                hasAdvanced = true;
            }
            removeDone(consumer, ends);
        }
        return hasAdvanced;
    }

    private static boolean removeDone(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        return ends.entrySet().removeIf(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    private static void requireNone(
            KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> left, Duration timeout) {
        if (!left.isEmpty()) {
            throw new IllegalStateException("Cannot read to the ends of partitions: no progress for "
                    + timeout.toSeconds() + " s at " + positions(consumer, left) + ", ends " + left
                    + ". Check that the brokers run.");
        }
    }

    private static Map<TopicPartition, Long> positions(
            KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        Map<TopicPartition, Long> positions = new HashMap<>();
        ends.keySet().forEach(partition -> positions.put(partition, consumer.position(partition)));
        return positions;
    }
}
