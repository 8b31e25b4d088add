package dev.blobshuffle.kafka.retention;

import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** The logs of a cluster, read whole and uncommitted records included: whatever somebody may still come for. Owned by one thread. */
public final class KafkaLogs implements AutoCloseable {
    private static final Duration SCAN_TIMEOUT = Duration.ofSeconds(60);

    private final Admin admin;
    private final LogScan scan;

    /**
     * The logs of the cluster that the settings name.
     *
     * @param client settings of any Kafka client: where the brokers are, and security
     */
    public KafkaLogs(Map<String, ?> client, Time time) {
        admin = Admin.create(known(client, AdminClientConfig.configNames()));
        scan = new LogScan(known(client, ConsumerConfig.configNames()), "read_uncommitted", time);
    }

    /** What each kind of client knows of what all kinds know, without what belongs to the application's own clients. */
    private static Map<String, Object> known(Map<String, ?> client, Set<String> names) {
        Map<String, Object> known = new HashMap<>(client);
        known.keySet().retainAll(AdminClientConfig.configNames());
        known.keySet().retainAll(names);
        known.values().removeIf(value -> value == null);
        known.remove(AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG);
        known.put(AdminClientConfig.CLIENT_ID_CONFIG, "blobshuffle-sweep");
        return known;
    }

    /** For questions beside the logs; closed with them. */
    public Admin admin() {
        return admin;
    }

    /** The cluster's id. */
    String cluster() throws InterruptedException {
        return ask(
                "tell the cluster's id",
                () -> admin.describeCluster().clusterId().get());
    }

    /** The topics that there are, and that the client may see. */
    Set<String> topics() throws InterruptedException {
        return ask("list topics", () -> admin.listTopics().names().get());
    }

    /**
     * Hands out every record of topics, from the starts to the ends that the logs have now.
     *
     * @return those that began with their first offset: they have let go of nothing yet
     * @throws KafkaException the brokers do not answer, or a topic is not there any more
     */
    Set<TopicPartition> read(Collection<String> topics, Consumer<ConsumerRecord<byte[], byte[]>> receiver)
            throws InterruptedException {
        if (topics.isEmpty()) {
            return Set.of();
        }
        Map<TopicPartition, Long> starts = starts(topics);
        scan.read(starts, SCAN_TIMEOUT, receiver);
        return starts.keySet().stream()
                .filter(partition -> starts.getOrDefault(partition, 1L) == 0)
                .collect(Collectors.toUnmodifiableSet());
    }

    private Map<TopicPartition, Long> starts(Collection<String> topics) throws InterruptedException {
        List<TopicPartition> partitions = ask(
                "describe topics",
                () -> admin.describeTopics(topics).allTopicNames().get().values().stream()
                        .flatMap(topic -> topic.partitions().stream()
                                .map(info -> new TopicPartition(topic.name(), info.partition())))
                        .toList());
        Map<TopicPartition, ListOffsetsResultInfo> earliest = ask(
                "find the starts of logs",
                () -> admin.listOffsets(
                                partitions.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.earliest())))
                        .all()
                        .get());
        Map<TopicPartition, Long> starts = new HashMap<>();
        earliest.forEach((partition, start) -> starts.put(partition, start.offset()));
        return starts;
    }

    private interface Question<T> {
        T ask() throws ExecutionException, InterruptedException;
    }

    private static <T> T ask(String what, Question<T> question) throws InterruptedException {
        try {
            return question.ask();
        } catch (ExecutionException e) {
            throw new KafkaException(
                    "Cannot " + what + ": " + e.getCause()
                            + ". Check the brokers, and that the client may describe and read the topics.",
                    e.getCause());
        }
    }

    @Override
    public void close() {
        admin.close();
    }
}
