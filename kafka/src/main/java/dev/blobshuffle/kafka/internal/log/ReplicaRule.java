package dev.blobshuffle.kafka.internal.log;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a replica could become the leader of a partition with records that the present
 * leader does not have. An in-sync replica has exactly the leader's records. Any other replica
 * loses its extra records when it follows the leader again. It keeps them only if it is elected
 * before that: by an unclean election, or as an eligible leader replica (KIP-966) while fewer than
 * {@code min.insync.replicas} are in sync. Stateless.
 */
final class ReplicaRule {
    private ReplicaRule() {}

    /**
     * The settings of a topic that govern elections.
     *
     * @param leastInSync {@code min.insync.replicas}
     * @param isUnclean {@code unclean.leader.election.enable}
     */
    record Elections(int leastInSync, boolean isUnclean) {}

    /** Whether the topic's settings matter: true while a replica is not in sync. */
    static boolean dependsOnSettings(TopicPartitionInfo partition) {
        return !outOfSync(partition).isEmpty();
    }

    /**
     * The reason why the partition may get records that its leader does not have; empty if there is
     * none.
     *
     * @param elections empty if the client may not describe the topic's settings; then all replicas
     *     must be in sync
     */
    static Optional<String> doubt(TopicPartitionInfo partition, Optional<Elections> elections) {
        if (!hasLeader(partition)) {
            return Optional.of("it has no leader");
        }
        Set<Integer> out = outOfSync(partition);
        if (out.isEmpty()) {
            return Optional.empty();
        }
        String replicas = "replicas " + out + " are not in sync";
        Set<Integer> eligible = ids(partition.elr());
        eligible.retainAll(out);
        if (!eligible.isEmpty()) {
            return Optional.of(replicas + ", and " + eligible + " may be elected");
        }
        if (elections.isEmpty()) {
            return Optional.of(replicas + ", and this client may not describe the topic's settings (DescribeConfigs),"
                    + " which could rule out their election");
        }
        if (partition.isr().size() < elections.get().leastInSync()) {
            return Optional.of(replicas + ", so fewer than min.insync.replicas are");
        }
        return elections.get().isUnclean()
                ? Optional.of(replicas + ", and unclean.leader.election.enable allows their election")
                : Optional.empty();
    }

    static boolean hasLeader(TopicPartitionInfo partition) {
        return partition.leader() != null && !partition.leader().isEmpty();
    }

    private static Set<Integer> outOfSync(TopicPartitionInfo partition) {
        Set<Integer> out = ids(partition.replicas());
        out.removeAll(ids(partition.isr()));
        return out;
    }

    /** Brokers before 4.0 do not report eligible leader replicas: the client leaves them null. */
    private static Set<Integer> ids(@Nullable List<Node> nodes) {
        return nodes == null
                ? new HashSet<>()
                : nodes.stream().map(Node::id).collect(Collectors.toCollection(TreeSet::new));
    }
}
