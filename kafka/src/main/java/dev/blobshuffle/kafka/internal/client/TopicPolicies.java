package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks whether topics can shuffle through blobs. Stateless. */
public final class TopicPolicies {
    private static final Logger LOG = LoggerFactory.getLogger(TopicPolicies.class);
    private static final long PATIENCE_SECONDS = 30;

    private TopicPolicies() {}

    /**
     * Rejects compacted topics. Notifications have no key, so the broker would refuse or drop them.
     * Accepts topics that do not exist yet. If the client may not read the topic's settings, logs
     * one warning.
     *
     * @throws InvalidSettingsException fatal: a topic is compacted; the message names it
     */
    public static void requireNotCompacted(Admin admin, Collection<String> topics) {
        List<ConfigResource> resources = topics.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic))
                .toList();
        Map<ConfigResource, KafkaFuture<Config>> answers =
                admin.describeConfigs(resources).values();
        answers.forEach((resource, answer) -> requireNotCompacted(resource.name(), answer));
    }

    private static void requireNotCompacted(String topic, KafkaFuture<Config> answer) {
        try {
            ConfigEntry policy = answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS).get(TopicConfig.CLEANUP_POLICY_CONFIG);
            if (policy != null
                    && policy.value() != null
                    && policy.value().contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
                throw new InvalidSettingsException(
                        "Cannot shuffle " + topic + " through blobs: its cleanup.policy is " + policy.value()
                                + ", and notifications have no key. Exclude it with blobshuffle.topics.exclude, or set cleanup.policy=delete.");
            }
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                LOG.warn(
                        "Cannot see whether {} is compacted, which would lose its records: {}. Allow DescribeConfigs on it, or check it.",
                        topic,
                        String.valueOf(e.getCause()));
            }
        } catch (TimeoutException e) {
            LOG.warn(
                    "Cannot see whether {} is compacted, which would lose its records: no answer in {} s.",
                    topic,
                    PATIENCE_SECONDS);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    /** A topic's current number of partitions; 0 if the brokers do not answer. */
    public static int partitionCount(Admin admin, String topic) {
        try {
            return admin
                    .describeTopics(List.of(topic))
                    .allTopicNames()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .values()
                    .stream()
                    .mapToInt(description -> description.partitions().size())
                    .sum();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("Cannot see the partitions of {}.", topic, e);
            return 0;
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }
}
