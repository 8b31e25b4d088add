package dev.blobshuffle.kafka.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafka.internal.log.ReplicaRule.Elections;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.Test;

class ReplicaRuleTest {
    private static final Optional<Elections> CLEAN = Optional.of(new Elections(2, false));

    private static List<Node> nodes(int... ids) {
        return Arrays.stream(ids).mapToObj(id -> new Node(id, "host", 9092)).toList();
    }

    private static TopicPartitionInfo inSync(int... ids) {
        return eligible(nodes(), ids);
    }

    private static TopicPartitionInfo eligible(List<Node> eligible, int... inSync) {
        List<Node> isr = nodes(inSync);
        return new TopicPartitionInfo(0, isr.get(0), nodes(0, 1, 2), isr, eligible, nodes());
    }

    @Test
    void noReplicaHoldsOtherRecordsIfAllAreInSync() {
        TopicPartitionInfo all = inSync(1, 0, 2);
        assertThat(ReplicaRule.dependsOnSettings(all)).isFalse();
        assertThat(ReplicaRule.doubt(all, Optional.empty())).isEmpty();
    }

    @Test
    void aPartitionWithoutALeaderIsInDoubt() {
        for (Node none : Arrays.asList(null, Node.noNode())) {
            TopicPartitionInfo info = new TopicPartitionInfo(0, none, nodes(0, 1), nodes(0, 1), nodes(), nodes());
            assertThat(ReplicaRule.doubt(info, CLEAN)).contains("it has no leader");
        }
    }

    @Test
    void aReplicaThatCannotBeElectedHidesNothing() {
        assertThat(ReplicaRule.doubt(inSync(0, 1), CLEAN)).isEmpty();
    }

    @Test
    void anEligibleReplicaMayBringRecordsBack() {
        assertThat(ReplicaRule.doubt(eligible(nodes(2), 0, 1), CLEAN))
                .contains("replicas [2] are not in sync, and [2] may be elected");
    }

    @Test
    void belowTheLeastNumberInSyncEveryReplicaCounts() {
        assertThat(ReplicaRule.doubt(inSync(0), CLEAN).orElseThrow())
                .contains("replicas [1, 2] are not in sync", "min.insync.replicas");
    }

    @Test
    void anUncleanElectionMayBringRecordsBack() {
        assertThat(ReplicaRule.doubt(inSync(0, 1), Optional.of(new Elections(2, true)))
                        .orElseThrow())
                .contains("replicas [2]", "unclean.leader.election.enable");
    }

    /** During a reassignment, the new replicas are not in sync. */
    @Test
    void withoutTheSettingsAllReplicasMustBeInSync() {
        assertThat(ReplicaRule.doubt(inSync(0, 1), Optional.empty()).orElseThrow())
                .contains("replicas [2] are not in sync", "DescribeConfigs");
    }

    @Test
    void brokersThatDoNotReportEligibleReplicasAreReadAllTheSame() {
        TopicPartitionInfo info = new TopicPartitionInfo(0, nodes(0).get(0), nodes(0, 1, 2), nodes(0, 1));
        assertThat(ReplicaRule.doubt(info, CLEAN)).isEmpty();
        assertThat(ReplicaRule.doubt(info, Optional.empty())).isPresent();
    }
}
