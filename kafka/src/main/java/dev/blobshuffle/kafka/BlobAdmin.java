package dev.blobshuffle.kafka;

import dev.blobshuffle.kafka.internal.client.ClientSettings;
import dev.blobshuffle.kafka.internal.client.SharedEngines;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.client.VirtualOffsetAdmin;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * An {@link Admin} that speaks virtual offsets for topics that shuffle through blobs:
 * {@code deleteRecords} keeps a notification that is only half consumed, and {@code listOffsets}
 * answers with positions that a {@link BlobConsumer} understands. If {@code listOffsets} asks for a
 * time, it opens a {@link BlobConsumer} for the call, and blocks while that reads the record's
 * segment. Offsets of groups stay real, as tools show them. Everything else passes through, methods
 * of newer Kafka versions included, which is why it is a proxy. Thread-safe.
 */
public final class BlobAdmin {
    private BlobAdmin() {}

    /**
     * An admin for any application.
     *
     * @param settings those of a Kafka admin, and {@code blobshuffle.*} as its other clients have
     *     them
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the settings cannot work; the
     *     message says what to change
     */
    public static Admin create(Map<String, ?> settings) {
        TopicMatcher topics = SharedEngines.topics(KafkaSettings.parse(settings));
        Map<String, Object> own = new HashMap<>(settings);
        return VirtualOffsetAdmin.wrap(
                Admin.create(ClientSettings.kafkas(settings)),
                topics,
                (times, isolation) -> find(own, times, isolation));
    }

    private static Map<TopicPartition, OffsetAndTimestamp> find(
            Map<String, Object> settings, Map<TopicPartition, Long> times, IsolationLevel isolation) {
        Map<String, Object> consumers = new HashMap<>(settings);
        consumers.put(
                ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation.toString().toLowerCase(Locale.ROOT));
        try (BlobConsumer<byte[], byte[]> consumer =
                new BlobConsumer<>(consumers, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            return consumer.offsetsForTimes(times);
        }
    }
}
