package dev.blobshuffle.kstreams.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;

/**
 * Detects when an application has no work left: its committed offsets are at the end of every input
 * and repartition topic. The offsets are read before the ends. So everything that an upstream task
 * wrote for its committed records is below the ends, and one agreement is proof for a chain of any
 * length. Owned by the test thread.
 */
public final class Drain {
    private static final Duration TIMEOUT = Duration.ofSeconds(240);
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Admin admin;
    private final Log log;
    private final String applicationId;
    private final List<String> inputs;
    private Map<TopicPartition, Long> behindBefore = Map.of();

    /** The drain of one application. */
    public Drain(Admin admin, String bootstrap, String applicationId, List<String> inputs) {
        this.admin = admin;
        this.log = new Log(bootstrap);
        this.applicationId = applicationId;
        this.inputs = inputs;
    }

    /** Waits until no work is left; fails if an instance dies meanwhile. */
    public void await(Instances instances) throws Exception {
        Set<TopicPartition> partitions = partitions();
        Awaitility.await("everything is committed")
                .atMost(TIMEOUT)
                .pollInterval(PAUSE)
                .failFast(instances::check)
                .untilAsserted(
                        () -> assertThat(behind(partitions)).as("committed").isEmpty());
    }

    /**
     * Waits until the committed offsets have passed the last notification, which is the condition
     * for a return to native clients.
     */
    public void awaitNoNotifications(Instances instances) throws Exception {
        Set<TopicPartition> partitions = partitions();
        partitions.removeIf(partition -> inputs.contains(partition.topic()));
        Awaitility.await("committed offsets have passed the last notification")
                .atMost(TIMEOUT)
                .pollInterval(PAUSE)
                .failFast(instances::check)
                .until(() -> !isNotificationAhead(partitions));
    }

    private boolean isNotificationAhead(Set<TopicPartition> partitions) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(applicationId)
                .partitionsToOffsetAndMetadata()
                .get();
        Map<TopicPartition, Long> positions = new HashMap<>();
        for (TopicPartition partition : partitions) {
            OffsetAndMetadata position = committed.get(partition);
            if (position != null && position.metadata().startsWith("bs1:")) {
                return true;
            }
            positions.put(partition, position == null ? 0 : position.offset());
        }
        return log.hasNotification(positions);
    }

    private Set<TopicPartition> partitions() throws Exception {
        Set<String> names = new TreeSet<>(inputs);
        names.addAll(shuffled(admin, applicationId));
        Collection<TopicDescription> found =
                admin.describeTopics(names).allTopicNames().get().values();
        return found.stream()
                .flatMap(topic -> topic.partitions().stream().map(p -> new TopicPartition(topic.name(), p.partition())))
                .collect(Collectors.toSet());
    }

    /**
     * The topics through which an application shuffles: repartition topics, and the two of every
     * foreign-key join.
     */
    public static Set<String> shuffled(Admin admin, String applicationId) throws Exception {
        return admin.listTopics().names().get().stream()
                .filter(name -> name.startsWith(applicationId + "-"))
                .filter(name -> name.endsWith("-repartition") || name.endsWith("-topic"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Unfinished partitions, with their committed offsets. A position inside a notification is
     * unfinished.
     */
    private Map<TopicPartition, Long> behind(Set<TopicPartition> partitions) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>(admin.listConsumerGroupOffsets(applicationId)
                .partitionsToOffsetAndMetadata()
                .get());
        Map<TopicPartition, ListOffsetsResultInfo> ends = admin.listOffsets(
                        partitions.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest())))
                .all()
                .get();
        Map<TopicPartition, Long> behind = new HashMap<>();
        Map<TopicPartition, Long> inside = new HashMap<>();
        ends.forEach((partition, end) -> {
            OffsetAndMetadata position = committed.get(partition);
            long offset = position == null ? 0 : position.offset();
            if (position != null && position.metadata().startsWith("bs1:")) {
                inside.put(partition, offset);
            } else if (offset < end.offset()) {
                behind.put(partition, offset);
            }
        });
        // A moving offset is unfinished. A constant one may have only markers ahead, which only a
        // reader can detect.
        boolean isStill = behind.equals(behindBefore);
        behindBefore = Map.copyOf(behind);
        if (inside.isEmpty() && (behind.isEmpty() || isStill && log.isEmpty(behind))) {
            return Map.of();
        }
        behind.putAll(inside);
        return behind;
    }
}
