package dev.blobshuffle.log.internal.group;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The current state of a consumer group.
 *
 * @param group its name
 * @param generation rises with each change of its members
 * @param members those whose lease has not ended
 * @param partitions all partitions that the group reads or has a position in
 */
public record GroupDescription(String group, long generation, List<Member> members, List<GroupPartition> partitions) {
    /** Copies the lists. */
    public GroupDescription {
        members = List.copyOf(members);
        partitions = List.copyOf(partitions);
    }

    /**
     * A partition of the group.
     *
     * @param partition the partition
     * @param owner the member that reads it; empty: none
     * @param generation of the owner; rises with each owner
     * @param position the committed position; empty: none
     */
    public record GroupPartition(
            LogPartition partition, Optional<UUID> owner, long generation, OptionalLong position) {}
}
