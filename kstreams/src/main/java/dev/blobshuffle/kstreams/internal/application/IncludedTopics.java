package dev.blobshuffle.kstreams.internal.application;

import dev.blobshuffle.kafka.internal.client.TopicPolicies;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks at start which of the cluster's topics an application's own patterns ask for. Stateless.
 */
final class IncludedTopics {
    private static final Logger LOG = LoggerFactory.getLogger(IncludedTopics.class);
    private static final long PATIENCE_SECONDS = 30;

    private IncludedTopics() {}

    /**
     * Refuses patterns that match a changelog or another compacted topic. The default, internal
     * repartition topics, needs no check. Blocks for an answer of the broker.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: a topic cannot shuffle through
     *     blobs; the message names it
     */
    static void check(Admin admin, ApplicationSettings settings) {
        if (!settings.blobs().isGiven(KafkaSettings.TOPICS_INCLUDE)) {
            return;
        }
        try {
            List<String> matching = admin.listTopics().names().get(PATIENCE_SECONDS, TimeUnit.SECONDS).stream()
                    .filter(settings.topics()::matches)
                    .toList();
            TopicPolicies.requireNotCompacted(admin, matching);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn(
                    "Cannot check which topics {} matches: {}. A compacted topic among them would lose records.",
                    KafkaSettings.TOPICS_INCLUDE,
                    e.toString());
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }
}
