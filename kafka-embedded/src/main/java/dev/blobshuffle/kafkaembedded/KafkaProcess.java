package dev.blobshuffle.kafkaembedded;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;

/**
 * A Kafka cluster outside this JVM, with one operating-system process per node. You can kill a
 * node, freeze it, restart it on the same data and port, and measure its CPU time separately from
 * the application's. The processes end when this JVM ends in any way; a temporary data directory
 * then stays behind unless {@link #close} was called. Thread-safe.
 */
public final class KafkaProcess implements KafkaCluster {
    private final ClusterConfig config;
    private final List<BrokerNode> nodes;
    private final DataDirectory data;
    private final List<BrokerProcess> processes;
    private boolean isClosed; // guarded by this

    private KafkaProcess(
            ClusterConfig config, List<BrokerNode> nodes, DataDirectory data, List<BrokerProcess> processes) {
        this.config = config;
        this.nodes = nodes;
        this.data = data;
        this.processes = processes;
    }

    /**
     * A builder for one broker without racks in a temporary directory, with JVM flags that suit
     * tests.
     */
    public static KafkaProcessBuilder builder() {
        return new KafkaProcessBuilder();
    }

    static KafkaProcess start(ClusterConfig config, BrokerCommand command, PortSource ports) {
        DataDirectory data = DataDirectory.open(config);
        try {
            return PortRetry.start(config, data, ports, nodes -> start(config, command, data, nodes));
        } catch (RuntimeException e) {
            data.closeAfter(e);
            throw e;
        }
    }

    private static KafkaProcess start(
            ClusterConfig config, BrokerCommand command, DataDirectory data, List<BrokerNode> nodes) {
        List<BrokerProcess> processes = new ArrayList<>();
        for (BrokerNode node : nodes) {
            Path file = data.propertiesFile(node.id());
            store(BrokerProperties.of(config, nodes, node), file);
            processes.add(new BrokerProcess(node.id(), command.line(file), data.outputFile(node.id())));
        }
        KafkaProcess cluster = new KafkaProcess(config, nodes, data, List.copyOf(processes));
        try {
            cluster.restart(IntStream.range(0, nodes.size()).toArray());
            ClusterAdmin.awaitBrokers(
                    nodes, System.nanoTime() + config.startTimeout().toNanos());
            return cluster;
        } catch (RuntimeException e) {
            processes.forEach(BrokerProcess::kill);
            throw e;
        }
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

    /** The additional paths to a node: {@link KafkaProcessBuilder#clientPaths}. */
    public List<ClientPath> clientPaths(int node) {
        process(node);
        return nodes.get(node).paths();
    }

    /**
     * The process id of a node.
     *
     * @throws IllegalStateException if the node is not running
     */
    public long pid(int node) {
        return process(node).pid();
    }

    /** Whether the node's process exists, frozen or not. */
    public boolean isRunning(int node) {
        return process(node).isRunning();
    }

    /**
     * The CPU time, user and system, of the node since the start of the cluster, over all its
     * lives. For an ended life it counts the last measurement: by {@link #kill} or {@link #stop},
     * or by this method if the process ended otherwise. Resolution on Linux: 10 ms.
     */
    public Duration cpu(int node) {
        return process(node).cpu();
    }

    /** The file with the output of the node's processes, over all its lives. */
    public Path outputFile(int node) {
        process(node);
        return data.outputFile(node);
    }

    /**
     * Kills the nodes' processes with SIGKILL, and returns when they have ended. No effect on ended
     * nodes.
     */
    public void kill(int... ids) {
        for (BrokerProcess process : processes(ids)) {
            process.kill();
        }
    }

    /**
     * Shuts the nodes down gracefully and in parallel, and returns when they have ended. No effect
     * on ended nodes.
     */
    public void stop(int... ids) {
        List<BrokerProcess> chosen = processes(ids);
        chosen.forEach(BrokerProcess::beginStop);
        chosen.forEach(BrokerProcess::finishStop);
    }

    /**
     * Starts the nodes again in parallel on their data and ports, and returns when they serve. A
     * running node is killed first. The nodes serve only if a majority runs, so name enough of
     * them.
     *
     * @throws IllegalStateException if the cluster is closed, or a node does not serve within the
     *     start timeout
     */
    public void restart(int... ids) {
        List<BrokerProcess> chosen = processes(ids);
        long deadline = System.nanoTime() + config.startTimeout().toNanos();
        synchronized (this) {
            if (isClosed) {
                throw new IllegalStateException("Cannot restart Kafka nodes: the cluster is closed. Start a new one.");
            }
            chosen.forEach(BrokerProcess::launch);
        }
        chosen.forEach(process -> process.awaitReady(deadline));
    }

    /**
     * Freezes the node with SIGSTOP: its connections stay open, but it does not answer.
     *
     * @throws IllegalStateException if the node is not running
     */
    public void pause(int node) {
        process(node).signal("STOP");
    }

    /**
     * Resumes a frozen node.
     *
     * @throws IllegalStateException if the node is not running
     */
    public void resume(int node) {
        process(node).signal("CONT");
    }

    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        int[] all = IntStream.range(0, nodes.size()).toArray();
        try {
            if (data.isTemporary()) {
                kill(all);
            } else {
                stop(all);
            }
        } finally {
            data.close();
        }
    }

    private List<BrokerProcess> processes(int... ids) {
        return IntStream.of(ids).mapToObj(this::process).toList();
    }

    private BrokerProcess process(int node) {
        if (node < 0 || node >= processes.size()) {
            throw new IllegalArgumentException("Cannot find a Kafka node: there is none with this number, " + node
                    + ". Nodes are 0 to " + (processes.size() - 1) + ".");
        }
        return processes.get(node);
    }

    private static void store(Properties properties, Path file) {
        try (OutputStream out = Files.newOutputStream(file)) {
            properties.store(out, null);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot write a Kafka node's properties: " + e.getMessage() + ", file " + file
                            + ". Check permissions and free space.",
                    e);
        }
    }
}
