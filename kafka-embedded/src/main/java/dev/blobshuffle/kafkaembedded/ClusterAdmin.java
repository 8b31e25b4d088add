package dev.blobshuffle.kafkaembedded;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Admin operations on clusters, through Kafka's own Admin client. Thread-safe: every call creates
 * its own client.
 */
final class ClusterAdmin {
    private static final Duration TOPIC_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration BETWEEN_QUESTIONS = Duration.ofMillis(20);

    private ClusterAdmin() {}

    /**
     * Waits until each node, asked individually, knows all brokers.
     *
     * @param deadline in terms of {@link System#nanoTime}
     */
    static void awaitBrokers(List<BrokerNode> nodes, long deadline) {
        for (BrokerNode node : nodes) {
            try (Admin admin = connect(BrokerNode.bootstrapServers(List.of(node)))) {
                while (brokersSeen(admin, node, deadline) < nodes.size()) {
                    LockSupport.parkNanos(BETWEEN_QUESTIONS.toNanos());
                }
            }
        }
    }

    /**
     * Creates a topic and waits until its leaders are ready. Before that, a leader may refuse a
     * producer's first batch and accept its second. Kafka's idempotent producer then repeats the
     * first until its delivery timeout.
     */
    static void createTopic(String bootstrapServers, String name, int partitions, Map<String, String> settings) {
        long deadline = System.nanoTime() + TOPIC_TIMEOUT.toNanos();
        try (Admin admin = connect(bootstrapServers)) {
            NewTopic topic = new NewTopic(name, Optional.of(partitions), Optional.empty()).configs(settings);
            await(
                    admin.createTopics(List.of(topic)).all().toCompletionStage().toCompletableFuture()::get,
                    deadline,
                    "create topic " + name);
            while (!areLeadersThere(admin, name, partitions, deadline)) {
                LockSupport.parkNanos(BETWEEN_QUESTIONS.toNanos());
            }
        }
    }

    /**
     * Whether all leaders are ready; false if the broker does not know the topic yet. The client
     * reports that as a failure instead of retrying.
     */
    private static boolean areLeadersThere(Admin admin, String name, int partitions, long deadline) {
        try {
            await(
                    admin.listOffsets(ends(name, partitions))
                            .all()
                            .toCompletionStage()
                            .toCompletableFuture()::get,
                    deadline,
                    "reach the leaders of topic " + name);
            return true;
        } catch (IllegalStateException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException && System.nanoTime() - deadline < 0) {
                return false;
            }
            throw e;
        }
    }

    private static Map<TopicPartition, OffsetSpec> ends(String topic, int partitions) {
        return IntStream.range(0, partitions)
                .boxed()
                .collect(Collectors.toMap(
                        partition -> new TopicPartition(topic, partition), partition -> OffsetSpec.latest()));
    }

    private static int brokersSeen(Admin admin, BrokerNode node, long deadline) {
        return await(
                        admin.describeCluster().nodes().toCompletionStage().toCompletableFuture()::get,
                        deadline,
                        "reach all brokers through node " + node.id())
                .size();
    }

    private static Admin connect(String bootstrapServers) {
        return Admin.create(Map.of("bootstrap.servers", bootstrapServers, "reconnect.backoff.max.ms", 200));
    }

    private static <T> T await(TimedGet<T> answer, long deadline, String what) {
        try {
            return answer.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Cannot " + what + ": interrupted. Let the thread wait.", e);
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "Cannot " + what + ": no answer in time. Check the broker's log, or allow more time.", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalStateException("Cannot " + what + ": " + cause.getMessage() + ".", cause);
        }
    }

    @FunctionalInterface
    private interface TimedGet<T> {
        T get(long time, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException;
    }
}
