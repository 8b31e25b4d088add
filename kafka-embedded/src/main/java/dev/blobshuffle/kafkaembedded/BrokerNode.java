package dev.blobshuffle.kafkaembedded;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The ports and the directory of one node of a cluster.
 *
 * @param port for clients and other brokers, on the loopback address
 * @param controllerPort for brokers and controllers that connect to this node's controller
 * @param paths additional ports for clients
 * @param securedPort for clients that log in or encrypt
 * @param directory the node's only log directory
 */
record BrokerNode(
        int id,
        int port,
        int controllerPort,
        List<ClientPath> paths,
        Optional<Integer> securedPort,
        Optional<String> rack,
        Path directory) {
    static final String HOST = "127.0.0.1";

    /** The nodes of a cluster, each with two ports from the source. */
    static List<BrokerNode> layOut(ClusterConfig config, DataDirectory data, PortSource source) {
        int each = 2 * (1 + config.clientPaths()) + (config.secured().isPresent() ? 1 : 0);
        Iterator<Integer> ports = source.take(config.brokers() * each).iterator();
        List<BrokerNode> nodes = new ArrayList<>();
        for (int id = 0; id < config.brokers(); id++) {
            Optional<String> rack = config.racks().isEmpty()
                    ? Optional.empty()
                    : Optional.of(config.racks().get(id % config.racks().size()));
            nodes.add(new BrokerNode(
                    id,
                    ports.next(),
                    ports.next(),
                    paths(config.clientPaths(), ports),
                    config.secured().map(protocol -> ports.next()),
                    rack,
                    data.logDirectory(id)));
        }
        return List.copyOf(nodes);
    }

    private static List<ClientPath> paths(int count, Iterator<Integer> ports) {
        List<ClientPath> paths = new ArrayList<>();
        for (int path = 0; path < count; path++) {
            paths.add(new ClientPath(ports.next(), ports.next()));
        }
        return List.copyOf(paths);
    }

    static String bootstrapServers(List<BrokerNode> nodes) {
        return nodes.stream().map(node -> HOST + ":" + node.port).collect(Collectors.joining(","));
    }

    static String securedServers(List<BrokerNode> nodes) {
        return nodes.stream()
                .map(node -> HOST + ":"
                        + node.securedPort.orElseThrow(() -> new IllegalStateException(
                                "Cannot log in: the cluster has no secured listener. Call secured() of its builder.")))
                .collect(Collectors.joining(","));
    }

    static String quorumVoters(List<BrokerNode> nodes) {
        return nodes.stream()
                .map(node -> node.id + "@" + HOST + ":" + node.controllerPort)
                .collect(Collectors.joining(","));
    }
}
