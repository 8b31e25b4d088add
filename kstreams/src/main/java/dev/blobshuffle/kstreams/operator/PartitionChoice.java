package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.produce.ProducerPlugins;
import dev.blobshuffle.kstreams.internal.application.ApplicationSettings;
import dev.blobshuffle.kstreams.internal.commit.StreamsInternals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the partition of a record if its {@code StreamPartitioner} chooses none, as the
 * application's producer would: by {@code producer.partitioner.class},
 * {@code producer.partitioner.ignore.keys}, or the hash of the key. The producer itself sees
 * notifications; it makes the choice only for plain records. Owned by the stream thread.
 */
final class PartitionChoice implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionChoice.class);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Kafka's default of {@code metadata.max.age.ms}. */
    private static final Duration REFRESH = Duration.ofMinutes(5);

    private final String topic;
    private final int partitions;
    private final ApplicationSettings settings;
    private final Time time;
    private final ProducerPlugins plugins;
    private final @Nullable Partitioner custom;
    private final boolean isByKey;
    private Cluster cluster = Cluster.empty();
    private long clusterSince;
    private int sticky;

    PartitionChoice(String topic, int partitions, ApplicationSettings settings, Time time) {
        this.topic = topic;
        this.partitions = partitions;
        this.settings = settings;
        this.time = time;
        this.plugins = ProducerPlugins.openPartitioner(
                settings.producerSettings(Thread.currentThread().getName()));
        this.custom = plugins.partitioner().orElse(null);
        this.isByKey = custom == null && !plugins.ignoresKeys();
        this.sticky = Math.floorMod(time.randomLong(), partitions);
    }

    /** The partition of a record with a key. */
    int choose(byte[] key, byte @Nullable [] value) {
        if (isByKey) {
            return Utils.toPositive(Utils.murmur2(key)) % partitions;
        }
        return custom == null ? sticky : custom.partition(topic, key, key, value, value, cluster());
    }

    /** Called when a batch ends: moves records whose keys are ignored to another partition. */
    void batchEnds() {
        sticky = (sticky + 1) % partitions;
    }

    private Cluster cluster() {
        if (cluster.nodes().isEmpty() || time.nanos() - clusterSince > REFRESH.toNanos()) {
            clusterSince = time.nanos();
            cluster = StreamsInternals.isStreamThread(Thread.currentThread()) ? described() : undescribed();
        }
        return cluster;
    }

    /** A made-up cluster: {@code TopologyTestDriver} has no brokers. */
    private Cluster undescribed() {
        Node none = new Node(0, "localhost", 0);
        List<PartitionInfo> infos = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            infos.add(new PartitionInfo(topic, partition, none, new Node[] {none}, new Node[] {none}));
        }
        return new Cluster(null, List.of(none), infos, Set.of(), Set.of());
    }

    private Cluster described() {
        Map<String, Object> client = settings.adminSettings();
        client.remove(AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG);
        client.put(AdminClientConfig.CLIENT_ID_CONFIG, "blobshuffle-partitions");
        try (Admin admin = Admin.create(client)) {
            return cluster(admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    .values()
                    .iterator()
                    .next());
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        } catch (ExecutionException | TimeoutException e) {
            if (cluster.nodes().isEmpty()) {
                throw new KafkaException(
                        "Cannot choose partitions of " + topic + " by producer.partitioner.class: "
                                + "the brokers do not describe the topic. Allow the application to describe it.",
                        e);
            }
            LOG.warn("Cannot describe {}; its partitioner goes by what was known before.", topic, e);
            return cluster;
        }
    }

    private Cluster cluster(TopicDescription description) {
        List<PartitionInfo> infos = new ArrayList<>();
        Set<Node> nodes = new HashSet<>();
        for (TopicPartitionInfo partition : description.partitions()) {
            nodes.addAll(partition.replicas());
            infos.add(new PartitionInfo(
                    topic,
                    partition.partition(),
                    partition.leader(),
                    partition.replicas().toArray(new Node[0]),
                    partition.isr().toArray(new Node[0])));
        }
        return new Cluster(null, nodes, infos, Set.of(), Set.of());
    }

    @Override
    public void close() {
        plugins.close();
    }
}
