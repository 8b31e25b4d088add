package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.time.Duration;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * The context in which a {@link BlobProducer} wraps a ready producer.
 *
 * @param mode the kind of application
 * @param topics the topics that shuffle through blobs
 * @param writes whether their records go into blobs, or are sent plain until every reader can read
 *     blobs
 * @param transactional whether the producer has a {@code transactional.id}
 * @param flushTimeout longest wait for a drain; keep it below the transaction timeout and
 *     {@code max.poll.interval.ms}
 * @param notificationTimeout the longest time that the producer holds a notification:
 *     {@link #notificationTimeout(boolean, Duration, Duration)}
 * @param pair the stream thread's pair, or {@link ClientPair#alone()}
 * @param zones the zones of the readers of partitions
 * @param time its clock
 */
public record ProducerWiring(
        Mode mode,
        TopicMatcher topics,
        Writes writes,
        boolean transactional,
        Duration flushTimeout,
        Duration notificationTimeout,
        ClientPair pair,
        ZoneMap zones,
        Time time) {
    /** Checks the timeout. */
    public ProducerWiring {
        if (flushTimeout.isNegative() || flushTimeout.isZero()) {
            throw new IllegalArgumentException(
                    "Cannot wire a producer: flush timeout " + flushTimeout + " must be positive.");
        }
    }

    /**
     * The longest time from the send of a notification until the producer has delivered it or given
     * it up. The broker aborts a transaction that is open for longer than its timeout, and refuses
     * later records of it.
     *
     * @param delivery the producer's {@code delivery.timeout.ms}
     * @param transaction its {@code transaction.timeout.ms}
     */
    public static Duration notificationTimeout(boolean transactional, Duration delivery, Duration transaction) {
        return transactional && transaction.compareTo(delivery) < 0 ? transaction : delivery;
    }

    /**
     * Checks that a producer delivers no notification after a sweep has deleted its blob.
     *
     * @param own the settings that govern when a sweep deletes
     * @param held the producer's {@link #notificationTimeout(boolean, Duration, Duration)}
     * @param delivery its {@code delivery.timeout.ms}
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: it could
     */
    public static void requireNotifiedInTime(Settings own, Duration held, Duration delivery) {
        String reason = held.equals(delivery)
                ? ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG
                : ProducerConfig.TRANSACTION_TIMEOUT_CONFIG;
        KafkaSettings.requireNotifiedInTime(own, held, reason + "=" + held.toMillis());
    }

    /** How records of matching topics are written. */
    public enum Writes {
        /** Into blobs. */
        BLOBS,
        /** As plain records: the first step of rolling in, and the first of rolling out. */
        PLAIN
    }
}
