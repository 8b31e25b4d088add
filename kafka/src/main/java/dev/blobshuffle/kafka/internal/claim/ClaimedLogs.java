package dev.blobshuffle.kafka.internal.claim;

import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.OwnerSweepRight;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.internal.retention.SweepSource;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.log.KafkaNotificationLogs;
import java.util.function.Predicate;

/**
 * The topics and claims of one application on one cluster.
 *
 * @param identity the application and its brokers
 * @param topics whether the application shuffles a topic through blobs; a sweep reads these logs
 *     first
 */
public record ClaimedLogs(ClaimIdentity identity, Predicate<String> topics) implements SweepSource {
    /** Kafka Streams writes changelogs itself, never through blobs. */
    @Override
    public boolean covers(String topic) {
        return !topic.endsWith("-changelog") && topics.test(topic);
    }

    @Override
    public SweepRight right(OwnerTiming timing, Time time) {
        return OwnerSweepRight.own(new KafkaClaims(identity, time), timing, time);
    }

    @Override
    public NotificationLogs logs(Time time) {
        return new KafkaNotificationLogs(identity.client(), time);
    }
}
