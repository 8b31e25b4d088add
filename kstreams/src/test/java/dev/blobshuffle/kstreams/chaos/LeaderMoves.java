package dev.blobshuffle.kstreams.chaos;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;

/**
 * Moves the leader of every partition to another replica. With the leaders of Kafka's own topics,
 * every coordinator of groups and transactions moves. Stateless.
 */
final class LeaderMoves {
    private LeaderMoves() {}

    /** @return the number of partitions whose leader was requested to move */
    static int moveAll(String bootstrapServers) throws InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            Map<TopicPartition, Optional<NewPartitionReassignment>> orders = new HashMap<>();
            var internalToo = new org.apache.kafka.clients.admin.ListTopicsOptions().listInternal(true);
            admin.describeTopics(admin.listTopics(internalToo).names().get())
                    .allTopicNames()
                    .get()
                    .forEach((topic, description) -> description.partitions().forEach(partition -> {
                        List<Integer> replicas = new ArrayList<>(
                                partition.replicas().stream().map(Node::id).toList());
                        Collections.rotate(replicas, 1);
                        orders.put(
                                new TopicPartition(topic, partition.partition()),
                                Optional.of(new NewPartitionReassignment(replicas)));
                    }));
            admin.alterPartitionReassignments(orders).all().get();
            // Partitions whose preferred replica is not in sync stay where they are.
            return (int)
                    admin.electLeaders(ElectionType.PREFERRED, orders.keySet()).partitions().get().values().stream()
                            .filter(Optional::isEmpty)
                            .count();
        } catch (ExecutionException e) {
            System.out.println("chaos: leaders do not move now: " + e.getCause());
            return 0;
        }
    }
}
