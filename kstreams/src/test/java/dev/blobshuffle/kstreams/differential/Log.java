package dev.blobshuffle.kstreams.differential;

import dev.blobshuffle.kstreams.LogEnd;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads topics as the broker stores them, with a native read_committed consumer. Thread-safe: every
 * read has its own consumer.
 */
public final class Log {
    private final String bootstrap;

    /** A reader of the cluster. */
    public Log(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    /** The rows of a topic of texts. */
    public List<Row> rows(String topic) {
        List<Row> rows = new ArrayList<>();
        read(
                topic,
                r -> rows.add(new Row(
                        text(r.key()),
                        text(r.value()),
                        r.timestamp(),
                        r.headers().toString())));
        return rows;
    }

    /** The rows of any topic. */
    public List<Row> rawRows(String topic) {
        Base64.Encoder base64 = Base64.getEncoder();
        List<Row> rows = new ArrayList<>();
        read(
                topic,
                r -> rows.add(new Row(
                        base64.encodeToString(r.key()),
                        r.value() == null ? null : base64.encodeToString(r.value()),
                        r.timestamp(),
                        "")));
        return rows;
    }

    /** Passes every committed record of a topic to the receiver, in order per partition. */
    public void read(String topic, Consumer<ConsumerRecord<byte[], byte[]>> receiver) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(p -> new TopicPartition(p.topic(), p.partition()))
                    .toList();
            Map<TopicPartition, Long> starts = new HashMap<>(consumer.beginningOffsets(partitions));
            read(consumer, starts, consumer.endOffsets(partitions), receiver);
        }
    }

    /**
     * Whether there are no committed records between positions and the ends of their partitions.
     * Markers do not count.
     */
    public boolean isEmpty(Map<TopicPartition, Long> positions) {
        List<Object> found = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            read(consumer, positions, consumer.endOffsets(positions.keySet()), found::add);
        } catch (OffsetOutOfRangeException e) {
            return false; // Purged meanwhile: the group has committed a later offset.
        }
        return found.isEmpty();
    }

    /** Whether there is a notification between positions and the ends of their partitions. */
    public boolean hasNotification(Map<TopicPartition, Long> positions) {
        List<Object> found = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            read(consumer, positions, consumer.endOffsets(positions.keySet()), r -> {
                if (isNotification(r)) {
                    found.add(r);
                }
            });
        }
        return !found.isEmpty();
    }

    static boolean isNotification(ConsumerRecord<byte[], byte[]> record) {
        return record.headers().lastHeader("__bs") != null;
    }

    private static void read(
            KafkaConsumer<byte[], byte[]> consumer,
            Map<TopicPartition, Long> starts,
            Map<TopicPartition, Long> ends,
            Consumer<ConsumerRecord<byte[], byte[]>> receiver) {
        consumer.assign(starts.keySet());
        starts.forEach(consumer::seek);
        LogEnd.readOn(consumer, ends, receiver);
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "isolation.level",
                        "read_committed",
                        "auto.offset.reset",
                        "none",
                        "enable.auto.commit",
                        false,
                        "fetch.max.wait.ms",
                        20), // Short, because closing a consumer waits for its last fetch.
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }
}
