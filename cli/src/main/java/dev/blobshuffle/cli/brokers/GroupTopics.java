package dev.blobshuffle.cli.brokers;

import dev.blobshuffle.kafka.internal.consume.GroupProtocol;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.clients.admin.StreamsGroupDescription;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/**
 * Finds the topics that a group reads, from the brokers' data: its commits, its members'
 * assignments, and under the streams protocol its topology. Owned by one thread.
 */
public final class GroupTopics {
    private final Admin admin;

    /** The type of each group at its first request. */
    private final Map<String, GroupType> types = new HashMap<>();

    /** Uses an admin client, which it does not close. */
    public GroupTopics(Admin admin) {
        this.admin = admin;
    }

    /**
     * The topics that a group reads or has read; empty if the group does not exist.
     *
     * @throws ExecutionException the brokers do not answer
     */
    public Set<String> readBy(String group) throws ExecutionException, InterruptedException {
        Set<String> topics = new HashSet<>();
        try {
            if (type(group) != GroupType.SHARE) {
                topics.addAll(committed(group));
            }
            topics.addAll(
                    switch (type(group)) {
                        case STREAMS -> ofTopology(group);
                        case SHARE -> ofShareMembers(group);
                        default -> ofMembers(group);
                    });
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof GroupIdNotFoundException)) {
                throw e;
            }
        }
        return topics;
    }

    private Set<String> committed(String group) throws ExecutionException, InterruptedException {
        Set<String> topics = new HashSet<>();
        admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get()
                .forEach((partition, position) -> {
                    if (position != null) {
                        topics.add(partition.topic());
                    }
                });
        return topics;
    }

    /**
     * Whether a running group's members offer BlobShuffle's assignors, so that they read
     * notifications. Only the classic protocol shows this.
     */
    public boolean hasOurAssignor(String group) throws ExecutionException, InterruptedException {
        if (type(group) == GroupType.STREAMS || type(group) == GroupType.SHARE) {
            return false;
        }
        return admin.describeConsumerGroups(List.of(group)).all().get().values().stream()
                .anyMatch(description -> GroupProtocol.membersIfOurs(description.partitionAssignor())
                        .isPresent());
    }

    private GroupType type(String group) throws ExecutionException, InterruptedException {
        if (types.isEmpty()) {
            admin.listGroups()
                    .valid()
                    .get()
                    .forEach(listing ->
                            types.put(listing.groupId(), listing.type().orElse(GroupType.CLASSIC)));
        }
        return types.getOrDefault(group, GroupType.CLASSIC);
    }

    private Set<String> ofShareMembers(String group) throws ExecutionException, InterruptedException {
        Set<String> topics = new HashSet<>();
        for (ShareGroupDescription description :
                admin.describeShareGroups(List.of(group)).all().get().values()) {
            description
                    .members()
                    .forEach(member -> member.assignment().topicPartitions().stream()
                            .map(TopicPartition::topic)
                            .forEach(topics::add));
        }
        return topics;
    }

    private Set<String> ofTopology(String group) throws ExecutionException, InterruptedException {
        Set<String> topics = new HashSet<>();
        for (StreamsGroupDescription description :
                admin.describeStreamsGroups(List.of(group)).all().get().values()) {
            description.subtopologies().forEach(subtopology -> {
                topics.addAll(subtopology.sourceTopics());
                topics.addAll(subtopology.repartitionSourceTopics().keySet());
            });
        }
        return topics;
    }

    private Set<String> ofMembers(String group) throws ExecutionException, InterruptedException {
        Set<String> topics = new HashSet<>();
        for (ConsumerGroupDescription description :
                admin.describeConsumerGroups(List.of(group)).all().get().values()) {
            description
                    .members()
                    .forEach(member -> member.assignment().topicPartitions().stream()
                            .map(TopicPartition::topic)
                            .forEach(topics::add));
        }
        return topics;
    }
}
