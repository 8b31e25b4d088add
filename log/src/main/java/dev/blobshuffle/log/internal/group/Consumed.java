package dev.blobshuffle.log.internal.group;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Positions that a member of a group commits.
 *
 * @param group the group's name
 * @param member the committing member
 * @param positions one per partition
 */
public record Consumed(String group, UUID member, List<ConsumedPosition> positions) {
    /** Copies the list. */
    public Consumed {
        positions = List.copyOf(positions);
    }

    /**
     * A position that a member commits.
     *
     * @param partition the partition
     * @param generation under which the member owns the partition; a commit with another generation
     *     is fenced
     * @param position as {@code LogPosition.value()}
     * @param metadata text that the caller stores with it
     */
    public record ConsumedPosition(LogPartition partition, long generation, long position, Optional<String> metadata) {}
}
