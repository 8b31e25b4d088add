package dev.blobshuffle.kstreams.differential;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.awaitility.Awaitility;

/**
 * Creates topics and waits until they are usable. The controller answers before the broker knows a
 * topic, and an application that starts in between ends because the topic is missing.
 */
public final class NewTopics {
    private static final long PATIENCE_SECONDS = 60;

    private NewTopics() {}

    /**
     * Creates unreplicated topics, and returns when every partition has a leader that is ready.
     * Otherwise a leader may reject a producer's first batch and accept its second, for good.
     */
    public static void create(Admin admin, Collection<String> names, int partitions) throws Exception {
        List<NewTopic> topics = names.stream()
                .map(name -> new NewTopic(name, partitions, (short) 1))
                .toList();
        admin.createTopics(topics).all().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        Awaitility.await("leaders of " + names)
                .atMost(Duration.ofSeconds(PATIENCE_SECONDS))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> areThere(admin, names));
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (String name : names) {
            IntStream.range(0, partitions)
                    .forEach(partition -> ends.put(new TopicPartition(name, partition), OffsetSpec.latest()));
        }
        admin.listOffsets(ends).all().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static boolean areThere(Admin admin, Collection<String> names) throws Exception {
        try {
            Collection<TopicDescription> found = admin.describeTopics(names)
                    .allTopicNames()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .values();
            return found.stream()
                    .flatMap(topic -> topic.partitions().stream())
                    .allMatch(partition ->
                            partition.leader() != null && !partition.isr().isEmpty());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw e;
        }
    }
}
