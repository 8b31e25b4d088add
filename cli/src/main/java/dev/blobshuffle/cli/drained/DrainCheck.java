package dev.blobshuffle.cli.drained;

import dev.blobshuffle.cli.brokers.ShuffledTopics;
import dev.blobshuffle.kafka.internal.consume.GroupProtocol;
import dev.blobshuffle.kafka.internal.log.LogScan;
import dev.blobshuffle.kafka.internal.log.NotificationRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/**
 * Looks for notifications between a group's committed offset and the end of each partition. A
 * position inside a notification is committed as the notification's own offset, so the notification
 * counts as unread. Uncommitted records count too, because their transaction may still commit. A
 * notification of an aborted transaction thus counts until the group has committed past it. The
 * application does so at its next commit. Owned by one thread.
 */
final class DrainCheck {
    private static final Duration SCAN_TIMEOUT = Duration.ofSeconds(60);

    private final Admin admin;
    private final LogScan scan;

    DrainCheck(Admin admin, LogScan scan) {
        this.admin = admin;
        this.scan = scan;
    }

    /**
     * The result of a check.
     *
     * @param partitions number of partitions of matching topics
     * @param left partitions with unread notifications, in order
     * @param members the members as reported by a running classic group; empty if it does not
     *     report them
     */
    record Result(int partitions, List<Left> left, Optional<GroupProtocol.Members> members) {
        /** Whether a member still writes, so that new notifications may follow. */
        boolean isWriting() {
            return members.equals(Optional.of(GroupProtocol.Members.WRITING));
        }

        boolean isDrained() {
            return left.isEmpty() && !isWriting();
        }
    }

    /**
     * A partition that is not drained.
     *
     * @param partition the partition
     * @param committed the group's committed offset; empty if there is none
     * @param notifications number of notifications from there on
     * @param last real offset of the last notification
     */
    record Left(TopicPartition partition, Optional<Long> committed, long notifications, long last) {
        String line() {
            return partition + ": " + notifications + " notifications are not passed, the last at offset " + last
                    + ", committed " + committed.map(String::valueOf).orElse("nothing");
        }

        Map<String, Object> asJson() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("topic", partition.topic());
            json.put("partition", partition.partition());
            json.put("notifications", notifications);
            json.put("last", last);
            committed.ifPresent(offset -> json.put("committed", offset));
            return json;
        }
    }

    /** Checks all partitions of topics. */
    Result check(String group, ShuffledTopics topics) throws ExecutionException, InterruptedException {
        Set<TopicPartition> partitions = partitions(topics);
        Map<TopicPartition, OffsetAndMetadata> committed = committed(group);
        Map<TopicPartition, ListOffsetsResultInfo> starts = admin.listOffsets(
                        partitions.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.earliest())))
                .all()
                .get();
        Map<TopicPartition, Long> from = new HashMap<>();
        starts.forEach((partition, start) -> {
            OffsetAndMetadata position = committed.get(partition);
            from.put(partition, position == null ? start.offset() : Math.max(start.offset(), position.offset()));
        });
        Map<TopicPartition, Long> counts = new HashMap<>();
        Map<TopicPartition, Long> last = new HashMap<>();
        scan.read(from, SCAN_TIMEOUT, record -> {
            if (NotificationRecord.isNotification(record)) {
                TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                counts.merge(partition, 1L, Long::sum);
                last.merge(partition, record.offset(), Math::max);
            }
        });
        List<Left> left = new ArrayList<>();
        counts.forEach((partition, count) -> left.add(new Left(
                partition,
                Optional.ofNullable(committed.get(partition)).map(OffsetAndMetadata::offset),
                count,
                last.getOrDefault(partition, 0L))));
        left.sort(Comparator.comparing(one -> one.partition().toString()));
        return new Result(partitions.size(), left, members(group));
    }

    /**
     * The members of a group. Only assignor names of the classic group protocol show their kind.
     */
    private Optional<GroupProtocol.Members> members(String group) throws ExecutionException, InterruptedException {
        try {
            String assignor = admin.describeConsumerGroups(List.of(group))
                    .describedGroups()
                    .values()
                    .iterator()
                    .next()
                    .get()
                    .partitionAssignor();
            return GroupProtocol.membersIfOurs(assignor);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return Optional.empty(); // no such group, or one of the streams protocol
            }
            throw e;
        }
    }

    private Map<TopicPartition, OffsetAndMetadata> committed(String group)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
        admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get()
                .forEach((partition, position) -> {
                    if (position != null) {
                        committed.put(partition, position);
                    }
                });
        return committed;
    }

    private Set<TopicPartition> partitions(ShuffledTopics topics) throws ExecutionException, InterruptedException {
        Map<String, TopicDescription> described =
                admin.describeTopics(topics.names(admin)).allTopicNames().get();
        return described.values().stream()
                .flatMap(topic -> topic.partitions().stream().map(p -> new TopicPartition(topic.name(), p.partition())))
                .collect(Collectors.toSet());
    }
}
