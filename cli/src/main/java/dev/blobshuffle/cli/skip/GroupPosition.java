package dev.blobshuffle.cli.skip;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kafka.internal.log.MissingBlobs;
import dev.blobshuffle.kafka.internal.position.GivenUp;
import dev.blobshuffle.kafka.internal.position.SkipGroup;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The position of a group in the partitions of a topic. In a partition without a commit, the group
 * is at the start of the log.
 *
 * @param group its id
 * @param state empty if the group does not exist
 * @param committed its commits
 * @param starts where it continues
 */
record GroupPosition(
        String group,
        Optional<GroupState> state,
        Map<TopicPartition, OffsetAndMetadata> committed,
        Map<TopicPartition, Long> starts) {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** @param partitions of the topic; empty: all */
    static GroupPosition of(Admin admin, String group, String topic, Set<Integer> partitions)
            throws ExecutionException, InterruptedException {
        List<TopicPartition> asked = partitions(admin, topic).stream()
                .filter(partition -> partitions.isEmpty() || partitions.contains(partition.partition()))
                .toList();
        if (asked.size() < Math.max(1, partitions.size())) {
            throw new InvalidSettingsException("Cannot skip: " + topic + " has not all of the partitions " + partitions
                    + ". Check --topic and --partition.");
        }
        Optional<GroupState> state = admin.listGroups().valid().get().stream()
                .filter(listing -> listing.groupId().equals(group))
                .findFirst()
                .flatMap(GroupListing::groupState);
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
        if (state.isPresent()) {
            admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .forEach((partition, commit) -> {
                        if (commit != null && asked.contains(partition)) {
                            committed.put(partition, commit);
                        }
                    });
        }
        if (committed.isEmpty()) {
            throw new InvalidSettingsException("Cannot skip: group " + group + " has committed nothing in " + topic
                    + ". Check --group and --topic.");
        }
        Map<TopicPartition, ListOffsetsResultInfo> earliest = admin.listOffsets(
                        asked.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.earliest())))
                .all()
                .get();
        Map<TopicPartition, Long> starts = new HashMap<>();
        earliest.forEach((partition, start) -> {
            OffsetAndMetadata commit = committed.get(partition);
            starts.put(partition, commit == null ? start.offset() : Math.max(start.offset(), commit.offset()));
        });
        return new GroupPosition(group, state, committed, starts);
    }

    private static List<TopicPartition> partitions(Admin admin, String topic)
            throws ExecutionException, InterruptedException {
        try {
            return admin.describeTopics(List.of(topic)).allTopicNames().get().values().stream()
                    .flatMap(description -> description.partitions().stream())
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                throw new InvalidSettingsException(
                        "Cannot skip: there is no topic " + topic + ". Check --topic and --bootstrap.", e);
            }
            throw e;
        }
    }

    /**
     * Checks that no member of the group would overwrite the commits.
     *
     * @throws InvalidSettingsException the group is active
     */
    void requireStopped() {
        if (state.isPresent() && state.get() != GroupState.EMPTY && state.get() != GroupState.DEAD) {
            throw new InvalidSettingsException(
                    "Cannot skip: group " + group + " is active, its state is " + state.get()
                            + ", and its members would go on where they are. Stop the application, wait until its session has timed out, and run it again.");
        }
    }

    /**
     * Writes the offsets that the group skips from now on. Wrapped clients read them from the
     * group's own commits, explicit operators from the commits of a second group. Earlier entries
     * that the group has not passed yet stay.
     */
    void giveUp(List<MissingBlobs.Losses> lost, Admin admin) throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> own = new HashMap<>();
        Map<TopicPartition, OffsetAndMetadata> beside = new HashMap<>();
        Map<TopicPartition, GivenUp> knownBeside = SkipGroup.read(admin, group, PATIENCE);
        for (MissingBlobs.Losses losses : lost) {
            TopicPartition partition = losses.partition();
            OffsetAndMetadata before = committed.get(partition);
            OffsetAndMetadata commit =
                    before == null ? new OffsetAndMetadata(starts.getOrDefault(partition, 0L)) : before;
            if (losses.readers().contains(MissingBlobs.Reader.CLIENT)) {
                own.put(partition, plus(GivenUp.of(commit), losses).in(commit));
            }
            if (losses.readers().contains(MissingBlobs.Reader.OPERATOR)) {
                GivenUp known = knownBeside.getOrDefault(partition, GivenUp.NONE);
                beside.put(partition, plus(known, losses).in(new OffsetAndMetadata(commit.offset())));
            }
        }
        if (!own.isEmpty()) {
            admin.alterConsumerGroupOffsets(group, own).all().get();
        }
        if (!beside.isEmpty()) {
            SkipGroup.write(admin, group, beside);
        }
    }

    private static GivenUp plus(GivenUp known, MissingBlobs.Losses losses) {
        return new GivenUp(Stream.concat(
                        known.ranges().stream(),
                        losses.losses().stream().map(loss -> new GivenUp.Range(loss.from(), loss.to())))
                .distinct()
                .toList());
    }
}
