package dev.blobshuffle.kafka;

import dev.blobshuffle.kafka.internal.client.ClientSettings;
import dev.blobshuffle.kafka.internal.client.SharedEngines;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.client.VirtualOffsetAdmin;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/**
 * An {@link Admin} that speaks virtual offsets for topics that shuffle through blobs:
 * {@code deleteRecords} keeps a notification that is only half consumed, and {@code listOffsets}
 * answers with positions that a {@link BlobConsumer} understands. A position for a time is the
 * start of the segment that has the record; {@code offsetsForTimes} of a consumer is exact. Offsets
 * of groups stay real, as tools show them. Everything else passes through, methods of newer Kafka
 * versions included, which is why it is a proxy. Thread-safe.
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
        return VirtualOffsetAdmin.wrap(Admin.create(ClientSettings.kafkas(settings)), topics);
    }
}
