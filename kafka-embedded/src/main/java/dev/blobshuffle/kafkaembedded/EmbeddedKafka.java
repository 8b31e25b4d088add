package dev.blobshuffle.kafkaembedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka cluster inside this JVM, for tests that need a real broker but no broker crashes. One
 * node starts in less than half a second once the JVM is warm, and takes about 30 MiB of heap.
 * Three nodes take seconds to start and to close, because the last controller waits for its quorum.
 * Thread-safe.
 */
public final class EmbeddedKafka implements KafkaCluster {
    private static final Duration STOP_TIMEOUT = Duration.ofMinutes(1);

    private static @Nullable EmbeddedKafka shared; // guarded by the class

    private final List<BrokerNode> nodes;
    private final DataDirectory data;
    private final BrokerServers servers;
    private boolean isClosed; // guarded by this

    private EmbeddedKafka(List<BrokerNode> nodes, DataDirectory data, BrokerServers servers) {
        this.nodes = nodes;
        this.data = data;
        this.servers = servers;
    }

    /** A builder for one broker without racks in a temporary directory. */
    public static EmbeddedKafkaBuilder builder() {
        return new EmbeddedKafkaBuilder();
    }

    /**
     * The shared broker of this JVM: one node without racks, started by the first call. It ends
     * with the JVM, and {@link #close} has no effect on it. Choose your own names for topics,
     * groups and transactional ids.
     *
     * @throws IllegalStateException if it does not start within the start timeout
     */
    public static synchronized EmbeddedKafka shared() {
        if (shared == null) {
            EmbeddedKafka started = builder().start();
            Runtime.getRuntime().addShutdownHook(new Thread(started::end, "kafka-end"));
            shared = started;
        }
        return shared;
    }

    static EmbeddedKafka start(ClusterConfig config, PortSource ports) {
        JvmExits.forbid();
        return KafkaJars.start(() -> startOf(config, ports));
    }

    private static EmbeddedKafka startOf(ClusterConfig config, PortSource ports) {
        DataDirectory data = DataDirectory.open(config);
        try {
            return PortRetry.start(config, data, ports, nodes -> start(config, data, nodes));
        } catch (RuntimeException e) {
            data.closeAfter(e);
            throw e;
        }
    }

    private static EmbeddedKafka start(ClusterConfig config, DataDirectory data, List<BrokerNode> nodes) {
        long deadline = System.nanoTime() + config.startTimeout().toNanos();
        BrokerServers servers = BrokerServers.start(
                nodes.stream()
                        .map(node -> patient(config, withoutHandover(BrokerProperties.of(config, nodes, node))))
                        .toList(),
                config.startTimeout());
        try {
            ClusterAdmin.awaitBrokers(nodes, deadline);
        } catch (RuntimeException e) {
            servers.stopAfter(e);
            throw e;
        }
        return new EmbeddedKafka(nodes, data, servers);
    }

    /**
     * Turns off controlled shutdown. The nodes of one JVM stop together, so no node remains to take
     * over partitions. A node that requests a controlled shutdown after the controllers have lost
     * their quorum would wait for minutes.
     */
    private static Properties withoutHandover(Properties node) {
        node.setProperty("controlled.shutdown.enable", "false");
        return node;
    }

    /**
     * Sets a long broker session if the cluster's data is temporary. Brokers and controllers pause
     * together with their JVM, and a pause would end short sessions. While a node is fenced, topics
     * cannot be created. Nodes with temporary data never restart, so their sessions need not end
     * soon.
     */
    private static Properties patient(ClusterConfig config, Properties node) {
        String session = "broker.session.timeout.ms";
        if (config.dataDirectory().isEmpty() && !config.properties().containsKey(session)) {
            node.setProperty(session, "60000");
        }
        return node;
    }

    @Override
    public String bootstrapServers() {
        return BrokerNode.bootstrapServers(nodes);
    }

    @Override
    public String securedServers() {
        return BrokerNode.securedServers(nodes);
    }

    @Override
    public int brokers() {
        return nodes.size();
    }

    Path logDirectory(int node) {
        return data.logDirectory(node);
    }

    @Override
    public void close() {
        if (!isShared()) {
            end();
        }
    }

    private boolean isShared() {
        synchronized (EmbeddedKafka.class) {
            return this == shared;
        }
    }

    private synchronized void end() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try {
            servers.stop(STOP_TIMEOUT);
        } finally {
            data.close();
        }
    }
}
