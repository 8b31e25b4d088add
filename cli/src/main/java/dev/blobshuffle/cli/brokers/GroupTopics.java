package dev.blobshuffle.cli.brokers;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.StreamsGroupDescription;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/**
 * Which topics a group reads, by what the brokers know of it: its commits, what its members are
 * assigned, and under the streams protocol its topology. Stateless.
 */
public final class GroupTopics {
    private final Admin admin;

    /** Asks by this admin, which it does not close. */
    public GroupTopics(Admin admin) {
        this.admin = admin;
    }

    /**
     * The topics that a group reads or has read; none if there is no such group.
     *
     * @throws ExecutionException the brokers do not answer
     */
    public Set<String> readBy(String group) throws ExecutionException, InterruptedException {
        Set<String> topics = new HashSet<>();
        try {
            admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .forEach((partition, position) -> {
                        if (position != null) {
                            topics.add(partition.topic());
                        }
                    });
            topics.addAll(isOfStreams(group) ? ofTopology(group) : ofMembers(group));
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof GroupIdNotFoundException)) {
                throw e;
            }
        }
        return topics;
    }

    private boolean isOfStreams(String group) throws ExecutionException, InterruptedException {
        return admin.listGroups().valid().get().stream()
                .filter(listing -> listing.groupId().equals(group))
                .flatMap((GroupListing listing) -> listing.type().stream())
                .anyMatch(type -> type == GroupType.STREAMS);
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
