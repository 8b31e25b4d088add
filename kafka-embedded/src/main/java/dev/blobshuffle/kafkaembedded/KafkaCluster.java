package dev.blobshuffle.kafkaembedded;

import java.util.Map;

/**
 * A running Kafka cluster of combined KRaft nodes (each is broker and controller) on the loopback
 * interface. Clients are anonymous, unless the builder adds a secured listener. Nodes are numbered
 * 0 to {@code brokers - 1}; the number is Kafka's {@code node.id}. Topics are not created
 * automatically. Thread-safe.
 */
public sealed interface KafkaCluster extends AutoCloseable permits EmbeddedKafka, KafkaProcess {
    /**
     * The value for clients' {@code bootstrap.servers}: every node of the cluster, running or not.
     */
    String bootstrapServers();

    /**
     * The same for clients that log in or encrypt.
     *
     * @throws IllegalStateException if the cluster was built without {@link
     *     KafkaClusterBuilder#secured}
     */
    String securedServers();

    /** The number of nodes the cluster was started with. */
    int brokers();

    /**
     * Creates a topic with the cluster's replication factor.
     *
     * @throws IllegalStateException if Kafka refuses the topic or does not answer within a minute
     */
    default void createTopic(String name, int partitions) {
        createTopic(name, partitions, Map.of());
    }

    /**
     * Creates a topic with the cluster's replication factor and the given topic settings, for
     * example {@code cleanup.policy}.
     *
     * @throws IllegalStateException if Kafka refuses the topic or does not answer within a minute
     */
    default void createTopic(String name, int partitions, Map<String, String> settings) {
        ClusterAdmin.createTopic(bootstrapServers(), name, partitions, settings);
    }

    /**
     * Stops every node and deletes the data. If a data directory was named, the nodes instead shut
     * down gracefully and the data stays. Idempotent.
     */
    @Override
    void close();
}
