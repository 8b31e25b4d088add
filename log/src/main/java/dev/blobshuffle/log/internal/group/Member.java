package dev.blobshuffle.log.internal.group;

import dev.blobshuffle.core.zone.Zone;
import java.util.Set;
import java.util.UUID;

/**
 * A member of a consumer group.
 *
 * @param group the group's name
 * @param id the member, new at each start
 * @param zone where it runs
 * @param topics the topics that it reads, by number
 */
public record Member(String group, UUID id, Zone zone, Set<Integer> topics) {
    /** Checks the group's name. */
    public Member {
        if (group.isBlank()) {
            throw new IllegalArgumentException("Cannot join a group: its name is blank. Name the group.");
        }
        topics = Set.copyOf(topics);
    }
}
