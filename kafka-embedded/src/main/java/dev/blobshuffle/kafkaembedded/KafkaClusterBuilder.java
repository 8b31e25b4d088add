package dev.blobshuffle.kafkaembedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/**
 * The common options of {@link EmbeddedKafkaBuilder} and {@link KafkaProcessBuilder}: the size of
 * the cluster, its racks, its settings and its directory. Not thread-safe.
 *
 * @param <B> the builder that every method returns
 */
public abstract sealed class KafkaClusterBuilder<B extends KafkaClusterBuilder<B>>
        permits EmbeddedKafkaBuilder, KafkaProcessBuilder {
    private int brokers = 1;
    private List<String> racks = List.of();
    private Optional<Integer> replicationFactor = Optional.empty();
    private int clientPaths;
    private Optional<SecurityProtocol> secured = Optional.empty();
    private final Map<String, String> properties = new HashMap<>();
    private Optional<Path> dataDirectory = Optional.empty();
    private Duration startTimeout = Duration.ofMinutes(2);

    KafkaClusterBuilder() {}

    abstract B self();

    /** The number of nodes, 1 by default. Every node is broker and controller. */
    public B brokers(int count) {
        brokers = count;
        return self();
    }

    /**
     * The nodes' racks ({@code broker.rack}), assigned in turn: node i is in rack i modulo the
     * number of racks.
     */
    public B racks(String... names) {
        racks = List.of(names);
        return self();
    }

    /**
     * The replication factor of topics that do not state their own and of Kafka's internal topics.
     * Default: 3, or the number of nodes if that is less.
     */
    public B replicationFactor(int factor) {
        replicationFactor = Optional.of(factor);
        return self();
    }

    /**
     * The number of additional paths to each broker, for clients behind proxies; 0 by default. Each
     * path has a port on which the broker listens, and another port that it advertises to clients
     * of this path.
     */
    public B clientPaths(int count) {
        clientPaths = count;
        return self();
    }

    /**
     * Adds the listener {@code SECURED} to every node, for clients that log in or encrypt:
     * {@link KafkaCluster#securedServers}. Its settings are properties that begin with
     * {@code listener.name.secured.}. Without this, clients are anonymous.
     */
    public B secured(SecurityProtocol protocol) {
        secured = Optional.of(protocol);
        return self();
    }

    /** A broker property for every node. It replaces the default for fast tests. */
    public B property(String name, Object value) {
        properties.put(name, value.toString());
        return self();
    }

    /**
     * The directory for data and broker logs; created if missing, kept on close. Use it again with
     * the same number of brokers to continue with its data. Default: a temporary directory that is
     * deleted on close.
     */
    public B dataDirectory(Path directory) {
        dataDirectory = Optional.of(directory);
        return self();
    }

    /** The timeout for a start of the cluster and a restart of nodes; two minutes by default. */
    public B startTimeout(Duration timeout) {
        startTimeout = timeout;
        return self();
    }

    final ClusterConfig config() {
        return new ClusterConfig(
                brokers,
                racks,
                replicationFactor.orElse(Math.min(3, brokers)),
                clientPaths,
                secured,
                properties,
                dataDirectory,
                startTimeout);
    }
}
