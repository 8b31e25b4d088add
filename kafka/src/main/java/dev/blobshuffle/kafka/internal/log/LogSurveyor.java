package dev.blobshuffle.kafka.internal.log;

import dev.blobshuffle.core.internal.retention.NotificationLogs.Term;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Queries the brokers for the state of partitions. A survey takes two client requests, or three
 * while a replica is not in sync. Owned by one thread.
 */
final class LogSurveyor {
    private final Admin admin;

    /** @param admin stays open */
    LogSurveyor(Admin admin) {
        this.admin = admin;
    }

    /**
     * The state of the partitions of some topics. A topic that no longer exists is left out.
     *
     * @throws KafkaException the brokers do not answer, or refuse the request
     */
    LogSurvey survey(Collection<String> topics) throws InterruptedException {
        Map<TopicPartition, String> doubts = new HashMap<>();
        Map<TopicPartition, String> logs = new HashMap<>();
        Map<TopicPartition, Integer> leaders = new HashMap<>();
        List<TopicDescription> described = describe(topics);
        Map<String, ReplicaRule.Elections> elections = elections(described);
        for (TopicDescription topic : described) {
            topic.partitions().forEach(info -> {
                TopicPartition partition = new TopicPartition(topic.name(), info.partition());
                ReplicaRule.doubt(info, Optional.ofNullable(elections.get(topic.name())))
                        .ifPresent(doubt -> doubts.put(partition, doubt));
                if (ReplicaRule.hasLeader(info)) {
                    logs.put(partition, topic.topicId().toString());
                    leaders.put(partition, info.leader().id());
                }
            });
        }
        Map<TopicPartition, Term> terms = new HashMap<>();
        Map<TopicPartition, Long> ends = new HashMap<>();
        offsets(logs.keySet(), OffsetSpec.latest()).forEach((partition, end) -> {
            if (end.leaderEpoch().isPresent()) {
                terms.put(
                        partition,
                        new Term(
                                logs.getOrDefault(partition, ""),
                                end.leaderEpoch().get()));
                ends.put(partition, end.offset());
            }
        });
        logs.keySet().forEach(partition -> {
            if (!terms.containsKey(partition)) {
                doubts.putIfAbsent(partition, "its leader does not answer");
            }
        });
        return new LogSurvey(terms, ends, leaders, doubts);
    }

    private List<TopicDescription> describe(Collection<String> topics) throws InterruptedException {
        List<TopicDescription> described = new ArrayList<>();
        for (KafkaFuture<TopicDescription> topic :
                admin.describeTopics(topics).topicNameValues().values()) {
            try {
                described.add(topic.get());
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw failed("describe topics", e);
                }
            }
        }
        return described;
    }

    /** The settings of the topics for which they matter, if the client may describe them. */
    private Map<String, ReplicaRule.Elections> elections(List<TopicDescription> topics) throws InterruptedException {
        List<ConfigResource> resources = topics.stream()
                .filter(topic -> topic.partitions().stream().anyMatch(ReplicaRule::dependsOnSettings))
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic.name()))
                .toList();
        Map<String, ReplicaRule.Elections> elections = new HashMap<>();
        if (resources.isEmpty()) {
            return elections;
        }
        for (Map.Entry<ConfigResource, KafkaFuture<Config>> topic :
                admin.describeConfigs(resources).values().entrySet()) {
            try {
                elections(topic.getValue().get())
                        .ifPresent(found -> elections.put(topic.getKey().name(), found));
            } catch (ExecutionException e) {
                boolean isUnknown = e.getCause() instanceof AuthorizationException
                        || e.getCause() instanceof UnknownTopicOrPartitionException;
                if (!isUnknown) {
                    throw failed("describe the settings of topics", e);
                }
            }
        }
        return elections;
    }

    private static Optional<ReplicaRule.Elections> elections(Config config) {
        ConfigEntry least = config.get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
        ConfigEntry unclean = config.get(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG);
        return least == null || unclean == null
                ? Optional.empty()
                : Optional.of(new ReplicaRule.Elections(
                        Integer.parseInt(least.value()), Boolean.parseBoolean(unclean.value())));
    }

    /** The first offsets of partitions. Partitions whose leader does not answer are left out. */
    Map<TopicPartition, Long> starts(Set<TopicPartition> partitions) throws InterruptedException {
        Map<TopicPartition, Long> starts = new HashMap<>();
        offsets(partitions, OffsetSpec.earliest()).forEach((partition, start) -> starts.put(partition, start.offset()));
        return starts;
    }

    private Map<TopicPartition, ListOffsetsResultInfo> offsets(Set<TopicPartition> partitions, OffsetSpec which)
            throws InterruptedException {
        ListOffsetsResult asked = admin.listOffsets(partitions.stream().collect(Collectors.toMap(p -> p, p -> which)));
        Map<TopicPartition, ListOffsetsResultInfo> offsets = new HashMap<>();
        for (TopicPartition partition : partitions) {
            try {
                offsets.put(partition, asked.partitionResult(partition).get());
            } catch (ExecutionException e) {
                if (e.getCause() instanceof AuthorizationException || e.getCause() instanceof InvalidTopicException) {
                    throw failed("find the starts and ends of logs", e);
                }
            }
        }
        return offsets;
    }

    static KafkaException failed(String what, ExecutionException e) {
        return new KafkaException(
                "Cannot " + what + ": " + e.getCause()
                        + ". Check the brokers, and that the client may describe and read the topics.",
                e.getCause());
    }
}
