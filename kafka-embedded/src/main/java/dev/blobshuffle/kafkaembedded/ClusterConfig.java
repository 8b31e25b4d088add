package dev.blobshuffle.kafkaembedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/** The configuration of a cluster: the validated form of {@link KafkaClusterBuilder}. */
record ClusterConfig(
        int brokers,
        List<String> racks,
        int replicationFactor,
        int clientPaths,
        Optional<SecurityProtocol> secured,
        Map<String, String> properties,
        Optional<Path> dataDirectory,
        Duration startTimeout) {
    private static final int MOST_BROKERS = 9;
    private static final Set<String> OWN_PROPERTIES = Set.of(
            "process.roles",
            "node.id",
            "broker.rack",
            "log.dir",
            "log.dirs",
            "metadata.log.dir",
            "listeners",
            "advertised.listeners",
            "controller.listener.names",
            "controller.quorum.voters",
            "controller.quorum.bootstrap.servers",
            "inter.broker.listener.name",
            "listener.security.protocol.map");

    /** Of Kafka's authorizer, which reads them itself. */
    private static final Set<String> AUTHORIZER_PROPERTIES = Set.of("super.users", "allow.everyone.if.no.acl.found");

    ClusterConfig {
        if (brokers < 1 || brokers > MOST_BROKERS) {
            throw invalid(
                    "brokers must be 1 to " + MOST_BROKERS, "brokers " + brokers, "Choose a number in this range");
        }
        if (replicationFactor < 1 || replicationFactor > brokers) {
            throw invalid(
                    "each replica needs a broker of its own",
                    "replication factor " + replicationFactor + ", brokers " + brokers,
                    "Choose a factor from 1 to the number of brokers");
        }
        if (racks.stream().anyMatch(String::isBlank)) {
            throw invalid("a rack's name is blank", "racks " + racks, "Name every rack or none");
        }
        if (startTimeout.isNegative() || startTimeout.isZero()) {
            throw invalid("the start timeout must be positive", "start timeout " + startTimeout, "Choose a longer one");
        }
        properties.keySet().forEach(ClusterConfig::check);
        racks = List.copyOf(racks);
        properties = Map.copyOf(properties);
    }

    private static void check(String property) {
        if (OWN_PROPERTIES.contains(property)) {
            throw invalid(
                    "the cluster sets this property itself", "property " + property, "Use the builder's own methods");
        }
        if (!property.startsWith("listener.name.")
                && !AUTHORIZER_PROPERTIES.contains(property)
                && !KafkaConfig.configDef().names().contains(property)) {
            throw invalid(
                    "this Kafka version has no such broker property",
                    "property " + property,
                    "Check the spelling and the Kafka version");
        }
    }

    private static IllegalArgumentException invalid(String reason, String values, String remedy) {
        return new IllegalArgumentException(
                "Cannot start a Kafka cluster: " + reason + ", " + values + ". " + remedy + ".");
    }
}
