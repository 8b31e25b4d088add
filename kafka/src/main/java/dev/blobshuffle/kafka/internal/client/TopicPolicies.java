package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.time.Duration;
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
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
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

    /** Bytes that a topic and a producer must take: a notification in a batch of its own. */
    private static final int NOTIFICATION_BATCH_BYTES = 256;

    private TopicPolicies() {}

    /**
     * Rejects topics that cannot hold notifications. These have no key, so the broker would refuse
     * or drop them in a compacted topic. They also need some bytes. Accepts topics that do not
     * exist yet. If the client may not read the topic's settings, logs one warning.
     *
     * @param patience how long to wait for the brokers
     * @throws InvalidSettingsException fatal: a topic is compacted, or its records are limited to
     *     fewer bytes than a notification has; the message names it
     * @throws org.apache.kafka.common.errors.TimeoutException recoverable: the brokers do not
     *     answer
     */
    public static void requireFitForNotifications(Admin admin, Collection<String> topics, Duration patience) {
        List<ConfigResource> resources = topics.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic))
                .toList();
        Map<ConfigResource, KafkaFuture<Config>> answers =
                admin.describeConfigs(resources).values();
        answers.forEach((resource, answer) -> requireFitForNotifications(resource.name(), answer, patience));
    }

    /**
     * Rejects a producer that refuses notifications for their size.
     *
     * @param maxRequestSize its {@code max.request.size}
     * @throws InvalidSettingsException fatal: it is too small
     */
    public static void requireRoomForNotifications(int maxRequestSize) {
        if (maxRequestSize < NOTIFICATION_BATCH_BYTES) {
            throw new InvalidSettingsException("Cannot send notifications: max.request.size is " + maxRequestSize
                    + ", and a notification has up to " + NOTIFICATION_BATCH_BYTES
                    + " bytes. Set max.request.size higher, best above blobshuffle.inline.max.bytes.");
        }
    }

    /**
     * Rejects settings for repartition topics that Kafka Streams will make, if these could not hold
     * notifications.
     *
     * @param settings by the names of a topic's settings
     * @param prefix of their names among the application's settings
     * @throws InvalidSettingsException fatal: the message names the setting
     */
    public static void requireFitForNotifications(Map<String, Object> settings, String prefix) {
        Object policy = settings.get(TopicConfig.CLEANUP_POLICY_CONFIG);
        if (policy != null && isCompacted(policy.toString())) {
            throw new InvalidSettingsException("Cannot shuffle through blobs: " + prefix
                    + TopicConfig.CLEANUP_POLICY_CONFIG + " is " + policy
                    + ", also for repartition topics, and notifications have no key. Remove it, and set it for"
                    + " changelogs by Materialized.withLoggingEnabled.");
        }
        Object most = settings.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
        if (most != null && number(prefix + TopicConfig.MAX_MESSAGE_BYTES_CONFIG, most) < NOTIFICATION_BATCH_BYTES) {
            throw new InvalidSettingsException("Cannot shuffle through blobs: " + prefix
                    + TopicConfig.MAX_MESSAGE_BYTES_CONFIG + " is " + most + ", and a notification has up to "
                    + NOTIFICATION_BATCH_BYTES + " bytes. Set it higher, best above blobshuffle.inline.max.bytes.");
        }
    }

    private static boolean isCompacted(String policy) {
        return policy.contains(TopicConfig.CLEANUP_POLICY_COMPACT);
    }

    private static long number(String setting, Object value) {
        try {
            return ((Number) ConfigDef.parseType(setting, value.toString(), ConfigDef.Type.LONG)).longValue();
        } catch (ConfigException e) {
            throw new InvalidSettingsException("Cannot shuffle through blobs: " + e.getMessage() + ".", e);
        }
    }

    private static void requireFitForNotifications(String topic, KafkaFuture<Config> answer, Duration patience) {
        try {
            Config config = answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            requireNotCompacted(topic, config);
            requireRoomForNotifications(topic, config);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof org.apache.kafka.common.errors.TimeoutException) {
                throw unanswered(topic, patience, e.getCause());
            }
            if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                LOG.warn(
                        "Cannot see whether {} is compacted, which would lose its records: {}. Allow DescribeConfigs on it, or check it.",
                        topic,
                        String.valueOf(e.getCause()));
            }
        } catch (TimeoutException e) {
            throw unanswered(topic, patience, e);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private static org.apache.kafka.common.errors.TimeoutException unanswered(
            String topic, Duration patience, Throwable cause) {
        return new org.apache.kafka.common.errors.TimeoutException(
                "Cannot see whether " + topic + " is compacted: the brokers have not answered for "
                        + patience.toMillis() + " ms. Check bootstrap.servers and the network.",
                cause);
    }

    private static void requireNotCompacted(String topic, Config config) {
        ConfigEntry policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
        if (policy != null && policy.value() != null && isCompacted(policy.value())) {
            throw new InvalidSettingsException(
                    "Cannot shuffle " + topic + " through blobs: its cleanup.policy is " + policy.value()
                            + ", and notifications have no key. Exclude it with blobshuffle.topics.exclude, or set cleanup.policy=delete.");
        }
    }

    private static void requireRoomForNotifications(String topic, Config config) {
        ConfigEntry most = config.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
        if (most != null && most.value() != null && Long.parseLong(most.value()) < NOTIFICATION_BATCH_BYTES) {
            throw new InvalidSettingsException(
                    "Cannot shuffle " + topic + " through blobs: its max.message.bytes is "
                            + most.value() + ", and a notification has up to " + NOTIFICATION_BATCH_BYTES
                            + " bytes. Exclude it with blobshuffle.topics.exclude, or set max.message.bytes higher, best above blobshuffle.inline.max.bytes.");
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
