package dev.blobshuffle.kafkaembedded;

import java.util.List;
import java.util.Properties;
import java.util.Set;
import kafka.server.KafkaConfig;

/**
 * The broker properties of a node: its place in the cluster, and delays short enough for tests.
 * Threads, sockets, log and replication keep Kafka's defaults, so benchmarks measure the brokers
 * that users run. Properties unknown to the Kafka version on the class path are omitted.
 */
final class BrokerProperties {
    static final String CONTROLLER_LISTENER = "CONTROLLER";
    private static final String SECURED_LISTENER = "SECURED";
    private static final int COORDINATOR_PARTITIONS = 4;

    private final Set<String> known = KafkaConfig.configDef().names();
    private final Properties properties = new Properties();

    private BrokerProperties() {}

    static Properties of(ClusterConfig config, List<BrokerNode> nodes, BrokerNode node) {
        BrokerProperties made = new BrokerProperties();
        made.identity(config, nodes, node);
        made.replication(config.replicationFactor());
        made.membership(config.brokers());
        made.groups();
        made.small();
        config.properties().forEach(made.properties::setProperty);
        return made.properties;
    }

    private void identity(ClusterConfig config, List<BrokerNode> nodes, BrokerNode node) {
        set("process.roles", "broker,controller");
        set("node.id", node.id());
        node.rack().ifPresent(rack -> set("broker.rack", rack));
        set("log.dirs", node.directory());
        set("controller.quorum.voters", BrokerNode.quorumVoters(nodes));
        set("controller.listener.names", CONTROLLER_LISTENER);
        set("inter.broker.listener.name", "PLAINTEXT");
        String host = "://" + BrokerNode.HOST + ":";
        String own = "PLAINTEXT" + host + node.port();
        StringBuilder protocols = new StringBuilder("PLAINTEXT:PLAINTEXT," + CONTROLLER_LISTENER + ":PLAINTEXT");
        StringBuilder listeners = new StringBuilder(own + "," + CONTROLLER_LISTENER + host + node.controllerPort());
        StringBuilder advertised = new StringBuilder(own);
        for (int i = 0; i < node.paths().size(); i++) {
            ClientPath path = node.paths().get(i);
            protocols.append(",PATH").append(i).append(":PLAINTEXT");
            listeners.append(",PATH").append(i).append(host).append(path.port());
            advertised.append(",PATH").append(i).append(host).append(path.advertisedPort());
        }
        config.secured().ifPresent(protocol -> {
            String listener = "," + SECURED_LISTENER + host + node.securedPort().orElseThrow();
            protocols.append(",").append(SECURED_LISTENER).append(":").append(protocol.name);
            listeners.append(listener);
            advertised.append(listener);
        });
        set("listener.security.protocol.map", protocols);
        set("listeners", listeners);
        set("advertised.listeners", advertised);
    }

    private void replication(int factor) {
        set("default.replication.factor", factor);
        set("offsets.topic.replication.factor", factor);
        set("offsets.topic.num.partitions", COORDINATOR_PARTITIONS);
        set("transaction.state.log.replication.factor", factor);
        set("transaction.state.log.min.isr", 1);
        set("transaction.state.log.num.partitions", COORDINATOR_PARTITIONS);
        set("share.coordinator.state.topic.replication.factor", factor);
        set("share.coordinator.state.topic.min.isr", 1);
        set("share.coordinator.state.topic.num.partitions", 1);
    }

    /**
     * A controller refuses a restarted node until the session of its killed process ends. A single
     * node has no other to fail over to, so its session may be short. Among several nodes, a
     * session that is too short moves leaders needlessly on a busy machine.
     */
    private void membership(int brokers) {
        set("broker.heartbeat.interval.ms", 300);
        set("broker.session.timeout.ms", brokers == 1 ? 2_000 : 6_000);
        set("auto.create.topics.enable", false);
    }

    private void groups() {
        set("group.initial.rebalance.delay.ms", 0);
        set("group.min.session.timeout.ms", 1_000);
        set(
                "group.coordinator.rebalance.protocols",
                StreamsGroups.areKnown() ? "classic,consumer,streams" : "classic,consumer");
        set("unstable.api.versions.enable", StreamsGroups.areEarlyAccess());
        set("unstable.feature.versions.enable", StreamsGroups.areEarlyAccess());
        set("group.streams.initial.rebalance.delay.ms", 0);
        for (String protocol : List.of("consumer", "streams")) {
            String group = "group." + protocol + ".";
            set(group + "heartbeat.interval.ms", 1_000);
            set(group + "min.heartbeat.interval.ms", 100);
            set(group + "session.timeout.ms", 6_000);
            set(group + "min.session.timeout.ms", 1_000);
            set(group + "assignment.interval.ms", 0);
        }
        set("transaction.abort.timed.out.transaction.cleanup.interval.ms", 1_000);
    }

    private void small() {
        set("log.cleaner.dedupe.buffer.size", 2_097_152);
        set("log.index.size.max.bytes", 1_048_576);
    }

    private void set(String name, Object value) {
        if (known.contains(name)) {
            properties.setProperty(name, value.toString());
        }
    }
}
