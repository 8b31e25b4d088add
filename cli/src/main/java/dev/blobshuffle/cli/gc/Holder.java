package dev.blobshuffle.cli.gc;

import dev.blobshuffle.core.internal.retention.BlobReference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A group that has not read a notification yet.
 *
 * @param group its id
 * @param committed its committed offset in the notification's partition
 * @param lag from there to the end of the log
 */
record Holder(String group, long committed, long lag) {
    /** The most groups to check. */
    private static final int MOST = 1000;

    /**
     * The groups whose committed offset is not beyond the notification; empty if the brokers do not
     * answer.
     */
    static List<Holder> of(BlobReference reference, Admin admin) throws InterruptedException {
        try {
            return find(reference, admin);
        } catch (ExecutionException e) {
            return List.of(); // This only adds detail, and the client may lack the permission.
        }
    }

    private static List<Holder> find(BlobReference reference, Admin admin)
            throws ExecutionException, InterruptedException {
        TopicPartition partition = new TopicPartition(
                reference.partition().stream(), reference.partition().number());
        Map<String, ListConsumerGroupOffsetsSpec> asked = admin.listGroups().valid().get().stream()
                .map(GroupListing::groupId)
                .sorted()
                .limit(MOST)
                .collect(Collectors.toMap(
                        group -> group,
                        group -> new ListConsumerGroupOffsetsSpec().topicPartitions(List.of(partition))));
        if (asked.isEmpty()) {
            return List.of();
        }
        long end = admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                .partitionResult(partition)
                .get()
                .offset();
        ListConsumerGroupOffsetsResult answers = admin.listConsumerGroupOffsets(asked);
        List<Holder> behind = new ArrayList<>();
        for (String group : asked.keySet()) {
            OffsetAndMetadata committed = committed(answers, group, partition);
            if (committed != null && committed.offset() <= reference.offset()) {
                behind.add(new Holder(group, committed.offset(), end - committed.offset()));
            }
        }
        behind.sort(Comparator.comparing(Holder::group));
        return behind;
    }

    private static @Nullable OffsetAndMetadata committed(
            ListConsumerGroupOffsetsResult answers, String group, TopicPartition partition)
            throws InterruptedException {
        try {
            return answers.partitionsToOffsetAndMetadata(group).get().get(partition);
        } catch (ExecutionException e) {
            return null; // A share group, or an unreadable group.
        }
    }
}
