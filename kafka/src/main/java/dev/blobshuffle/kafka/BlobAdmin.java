package dev.blobshuffle.kafka;

import dev.blobshuffle.kafka.internal.client.ClientSettings;
import dev.blobshuffle.kafka.internal.client.SharedEngines;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.client.VirtualOffsetAdmin;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * An {@link Admin} that uses virtual offsets for topics that shuffle through blobs.
 * {@code deleteRecords} keeps a notification if only some of its records are to be deleted.
 * {@code listOffsets} returns positions that a {@link BlobConsumer} understands. For a query by
 * time, it opens a {@link BlobConsumer} for the call, and blocks while the consumer reads the
 * record's segment. Committed offsets of groups stay real, as Kafka's tools show them, and
 * {@code alterConsumerGroupOffsets} refuses virtual ones beyond the end. All other calls go to
 * Kafka's admin. The admin is a proxy, so this includes methods of newer Kafka versions.
 * Thread-safe.
 */
public final class BlobAdmin {
    private BlobAdmin() {}

    /**
     * An admin for any application.
     *
     * @param settings settings of a Kafka admin, and the same {@code blobshuffle.*} settings as the
     *     application's other clients
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the settings cannot
     *     work; the message says what to change
     */
    public static Admin create(Map<String, ?> settings) {
        Map<String, Object> own = ClientSettings.resolved(settings);
        TopicMatcher topics = SharedEngines.topics(KafkaSettings.parse(own));
        return VirtualOffsetAdmin.wrap(
                Admin.create(ClientSettings.kafkas(own)), topics, (times, isolation) -> find(own, times, isolation));
    }

    /** As {@link #create(Map)}. */
    public static Admin create(Properties settings) {
        return create(ClientSettings.toMap(settings));
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
