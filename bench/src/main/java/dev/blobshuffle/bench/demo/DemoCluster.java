package dev.blobshuffle.bench.demo;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.log.LogScan;
import dev.blobshuffle.kafkaembedded.KafkaProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.ReplicaInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * The brokers of one run, one in each zone, and queries to them. Each run has brokers of its own,
 * so that no run profits from another. Owned by one thread.
 */
final class DemoCluster implements AutoCloseable {
    private static final Duration SCAN_TIMEOUT = Duration.ofSeconds(60);

    private final KafkaProcess brokers;
    private final Admin admin;

    private DemoCluster(KafkaProcess brokers) {
        this.brokers = brokers;
        this.admin = Admin.create(Map.of("bootstrap.servers", brokers.bootstrapServers()));
    }

    /** Starts the brokers; their data is kept in the directory. */
    static DemoCluster start(DemoOptions options, Path directory) {
        try {
            return new DemoCluster(KafkaProcess.builder()
                    .brokers(options.zones())
                    .racks(options.zoneNames().toArray(String[]::new))
                    .replicationFactor(options.replicationFactor())
                    .dataDirectory(directory)
                    // The text's timestamps are old. The brokers must not delete records that a run
                    // still needs.
                    .property("log.retention.check.interval.ms", Integer.MAX_VALUE)
                    .start());
        } catch (IllegalStateException e) {
            throw new DemoFailedException(String.valueOf(e.getMessage()), e);
        }
    }

    String bootstrapServers() {
        return brokers.bootstrapServers();
    }

    void createTopic(String name, int partitions, String cleanupPolicy) {
        brokers.createTopic(name, partitions, Map.of("cleanup.policy", cleanupPolicy, "retention.ms", "-1"));
    }

    /** CPU time, user and system, of all brokers since their start. */
    Duration cpu() {
        Duration sum = Duration.ZERO;
        for (int node = 0; node < brokers.brokers(); node++) {
            sum = sum.plus(brokers.cpu(node));
        }
        return sum;
    }

    /** Whether a group has this many members, and no rebalance goes on. */
    boolean isStable(String group, int members) {
        var description =
                get(admin.describeConsumerGroups(List.of(group)).all()).get(group);
        return description != null
                && description.groupState() == GroupState.STABLE
                && description.members().size() == members;
    }

    /** The topics through which an application shuffles. */
    Set<String> shuffleTopics(String applicationId) {
        return get(admin.listTopics().names()).stream()
                .filter(name -> name.startsWith(applicationId + "-") && name.endsWith("-repartition"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Whether the application has read and committed everything in the topics. The committed
     * positions are read before the ends of the topics, and the application's output is in its
     * topics before it commits. So if all positions are at the ends, no record is left.
     */
    boolean isDrained(String applicationId, Collection<String> topics) {
        Map<TopicPartition, OffsetAndMetadata> committed =
                get(admin.listConsumerGroupOffsets(applicationId).partitionsToOffsetAndMetadata());
        Map<TopicPartition, ListOffsetsResultInfo> ends = get(admin.listOffsets(
                        partitions(topics).stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest())))
                .all());
        Map<TopicPartition, Long> behind = new HashMap<>();
        for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end : ends.entrySet()) {
            OffsetAndMetadata position = committed.get(end.getKey());
            long offset = position == null ? 0 : position.offset();
            if (offset < end.getValue().offset()) {
                behind.put(end.getKey(), offset);
            }
        }
        // Only transaction markers may be left.
        List<Object> left = new ArrayList<>();
        read(behind, left::add);
        return left.isEmpty();
    }

    /** Empties topics. */
    void purge(Collection<String> topics) {
        Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
        partitions(topics).forEach(partition -> all.put(partition, RecordsToDelete.beforeOffset(-1))); // To the end.
        // A client keeps the leaders that it has found, and waits for one that is gone until its
        // time-out. A client of its own looks for them anew.
        try (Admin anew = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
            var ignored = get(anew.deleteRecords(all).all());
        }
    }

    /** Passes every record committed to a topic to the receiver, in order per partition. */
    void read(String topic, Consumer<ConsumerRecord<byte[], byte[]>> receiver) {
        read(partitions(List.of(topic)).stream().collect(Collectors.toMap(p -> p, p -> 0L)), receiver);
    }

    private void read(Map<TopicPartition, Long> starts, Consumer<ConsumerRecord<byte[], byte[]>> receiver) {
        try (SystemTime time = new SystemTime()) {
            new LogScan(Map.of("bootstrap.servers", bootstrapServers()), "read_committed", time)
                    .read(starts, SCAN_TIMEOUT, receiver);
        }
    }

    /**
     * Bytes that the logs of topics hold, one copy of each partition. This is everything ever
     * written there, because the demo purges nothing before.
     */
    long logBytes(Collection<String> topics) {
        Map<TopicPartition, Long> sizes = new HashMap<>();
        List<Integer> ids = get(admin.describeCluster().nodes()).stream()
                .map(node -> node.id())
                .toList();
        get(admin.describeLogDirs(ids).allDescriptions())
                .values()
                .forEach(directories -> directories.values().forEach(directory -> {
                    for (Map.Entry<TopicPartition, ReplicaInfo> replica :
                            directory.replicaInfos().entrySet()) {
                        if (topics.contains(replica.getKey().topic())) {
                            sizes.merge(replica.getKey(), replica.getValue().size(), Math::max);
                        }
                    }
                }));
        return sizes.values().stream().mapToLong(Long::longValue).sum();
    }

    private Set<TopicPartition> partitions(Collection<String> topics) {
        Collection<TopicDescription> found =
                get(admin.describeTopics(topics).allTopicNames()).values();
        return found.stream()
                .flatMap(topic -> topic.partitions().stream().map(p -> new TopicPartition(topic.name(), p.partition())))
                .collect(Collectors.toSet());
    }

    private static <T> T get(KafkaFuture<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new DemoFailedException(
                    "Cannot ask the brokers: " + e.getCause() + ". Is the machine out of memory or disk?",
                    e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoFailedException("Cannot ask the brokers: the demo was interrupted.", e);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
        for (int node = 0; node < brokers.brokers(); node++) {
            brokers.kill(node); // No data is needed any more, and an orderly end takes seconds.
        }
        brokers.close();
    }
}
