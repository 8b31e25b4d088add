package dev.blobshuffle.kafkaembedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.Test;

final class ClusterConfigTest {
    @Test
    void impossibleClustersAreRefusedWithTheRemedy() {
        assertRefused(KafkaProcess.builder().brokers(0), "brokers 0");
        assertRefused(KafkaProcess.builder().brokers(10), "brokers 10");
        assertRefused(KafkaProcess.builder().brokers(2).replicationFactor(3), "replication factor 3");
        assertRefused(KafkaProcess.builder().racks("a", " "), "rack");
        assertRefused(KafkaProcess.builder().startTimeout(Duration.ZERO), "start timeout");
        assertRefused(KafkaProcess.builder().heapMebibytes(16), "16 MiB");
    }

    @Test
    void propertiesThatWouldBreakTheClusterAreRefused() {
        assertRefused(KafkaProcess.builder().property("listeners", "PLAINTEXT://:9092"), "property listeners");
        assertRefused(KafkaProcess.builder().property("num.partitons", 3), "property num.partitons");
    }

    @Test
    void givenPropertyReplacesTheDefault() {
        ClusterConfig config = KafkaProcess.builder()
                .property("group.initial.rebalance.delay.ms", 100)
                .config();
        BrokerNode node = new BrokerNode(
                0, 1, 2, List.of(new ClientPath(3, 4)), Optional.empty(), Optional.of("a"), Path.of("data"));
        Properties properties = BrokerProperties.of(config, List.of(node), node);
        assertThat(properties)
                .containsEntry("group.initial.rebalance.delay.ms", "100")
                .containsEntry("broker.rack", "a")
                .containsEntry("listeners", "PLAINTEXT://127.0.0.1:1,CONTROLLER://127.0.0.1:2,PATH0://127.0.0.1:3")
                .containsEntry("advertised.listeners", "PLAINTEXT://127.0.0.1:1,PATH0://127.0.0.1:4")
                .containsEntry("controller.quorum.voters", "0@127.0.0.1:2");
    }

    @Test
    void aSecuredListenerIsOneMore() {
        ClusterConfig config = KafkaProcess.builder()
                .secured(SecurityProtocol.SASL_SSL)
                .property("super.users", "User:ANONYMOUS")
                .config();
        BrokerNode node = new BrokerNode(0, 1, 2, List.of(), Optional.of(3), Optional.empty(), Path.of("data"));
        assertThat(BrokerProperties.of(config, List.of(node), node))
                .containsEntry("super.users", "User:ANONYMOUS")
                .containsEntry(
                        "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL")
                .containsEntry("advertised.listeners", "PLAINTEXT://127.0.0.1:1,SECURED://127.0.0.1:3");
        assertThat(BrokerNode.securedServers(List.of(node))).isEqualTo("127.0.0.1:3");
    }

    @Test
    void withoutASecuredListenerThereIsNoAddressOfIt() {
        BrokerNode node = new BrokerNode(0, 1, 2, List.of(), Optional.empty(), Optional.empty(), Path.of("data"));
        assertThatThrownBy(() -> BrokerNode.securedServers(List.of(node)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("secured()");
    }

    @Test
    void freePortsDifferAndAreOutsideTheRangeOfOutgoingConnections() {
        assertThat(PortSource.free(100)).doesNotHaveDuplicates().allMatch(port -> port < 32_768);
    }

    private static void assertRefused(KafkaProcessBuilder builder, String value) {
        assertThatThrownBy(builder::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Cannot start a Kafka cluster: ")
                .hasMessageContaining(value);
    }
}
