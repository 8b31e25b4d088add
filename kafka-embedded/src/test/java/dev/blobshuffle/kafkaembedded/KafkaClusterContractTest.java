package dev.blobshuffle.kafkaembedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What every kind of cluster does, on three brokers in two racks. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class KafkaClusterContractTest<C extends KafkaCluster> {
    private C kafka;

    abstract C startThreeBrokersInRacks(String... racks);

    final C kafka() {
        return kafka;
    }

    @BeforeAll
    final void start() {
        kafka = startThreeBrokersInRacks("a", "b");
    }

    @AfterAll
    final void close() {
        kafka.close();
        kafka.close();
    }

    @Test
    final void brokersStandInTheirRacks() throws Exception {
        try (Admin admin = Clients.admin(kafka)) {
            assertThat(admin.describeCluster().nodes().get())
                    .extracting(Node::id, Node::rack)
                    .containsExactlyInAnyOrder(tuple(0, "a"), tuple(1, "b"), tuple(2, "a"));
        }
        assertThat(kafka.brokers()).isEqualTo(3);
        assertThat(kafka.bootstrapServers().split(",")).hasSize(3);
    }

    @Test
    final void topicIsReplicatedAndDeliversInOrder() throws Exception {
        kafka.createTopic("ordered", 1, Map.of("segment.bytes", "1048576"));
        List<String> values = Clients.values("v", 1000);
        Clients.send(kafka, "ordered", values);
        assertThat(Clients.read(kafka, "ordered", values.size())).isEqualTo(values);
        try (Admin admin = Clients.admin(kafka)) {
            var topic = admin.describeTopics(List.of("ordered"))
                    .allTopicNames()
                    .get()
                    .get("ordered");
            assertThat(topic.partitions().get(0).replicas()).hasSize(3);
        }
    }

    @Test
    final void refusedTopicIsReportedWithKafkasReason() {
        assertThatThrownBy(() -> kafka.createTopic("refused", 1, Map.of("no.such.setting", "1")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Cannot create topic refused")
                .hasMessageContaining("no.such.setting");
    }

    @Test
    final void readCommittedSeesCommittedTransactionsOnly() throws Exception {
        kafka.createTopic("transactions", 1);
        List<String> expected = new ArrayList<>();
        try (Producer<String, String> producer = Clients.producer(kafka, Map.of("transactional.id", "writer"))) {
            producer.initTransactions();
            for (int i = 0; i < 6; i++) {
                List<String> values = Clients.values("t" + i + "-", 10);
                producer.beginTransaction();
                Clients.sendWith(producer, "transactions", values);
                if (i % 2 == 0) {
                    producer.commitTransaction();
                    expected.addAll(values);
                } else {
                    producer.abortTransaction();
                }
            }
        }
        assertThat(Clients.read(kafka, "transactions", expected.size())).isEqualTo(expected);
    }

    @Test
    final void streamsGroupProtocolIsEnabled() throws Exception {
        try (Admin admin = Clients.admin(kafka)) {
            var features = admin.describeFeatures().featureMetadata().get().finalizedFeatures();
            assertThat(features).containsKey("streams.version");
            assertThat(features.get("streams.version").maxVersionLevel()).isPositive();
            assertThatThrownBy(() ->
                            admin.describeStreamsGroups(List.of("nobody")).all().get())
                    .hasCauseInstanceOf(GroupIdNotFoundException.class);
        }
    }
}
