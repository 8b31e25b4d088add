package dev.blobshuffle.kstreams.internal.application;

import dev.blobshuffle.kafka.internal.client.TopicPolicies;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks, when the application starts, which topics of the cluster its own patterns match.
 * Stateless.
 */
final class IncludedTopics {
    private static final Logger LOG = LoggerFactory.getLogger(IncludedTopics.class);
    private static final long PATIENCE_SECONDS = 30;

    private IncludedTopics() {}

    /**
     * Rejects patterns that match a changelog, or another topic that cannot hold notifications. The
     * default, internal repartition topics, needs no check but that of {@code topic.} settings.
     * Blocks until the broker answers.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: a topic cannot shuffle
     *     through blobs; the message names it
     */
    static void check(Admin admin, ApplicationSettings settings) {
        if (!settings.blobs().isGiven(KafkaSettings.TOPICS_INCLUDE)) {
            return;
        }
        try {
            List<String> matching = admin.listTopics().names().get(PATIENCE_SECONDS, TimeUnit.SECONDS).stream()
                    .filter(settings.topics()::matches)
                    .toList();
            TopicPolicies.requireFitForNotifications(admin, matching, Duration.ofSeconds(PATIENCE_SECONDS));
        } catch (ExecutionException | TimeoutException | org.apache.kafka.common.errors.TimeoutException e) {
            LOG.warn(
                    "Cannot check which topics {} matches: {}. A compacted topic among them would lose records.",
                    KafkaSettings.TOPICS_INCLUDE,
                    e.toString());
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }
}
