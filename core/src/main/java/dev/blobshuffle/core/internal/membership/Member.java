package dev.blobshuffle.core.internal.membership;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.zone.Zone;
import java.util.Set;

/**
 * One member of a shuffle, as it announces itself: an instance that writes and reads, or a
 * standalone cache.
 *
 * @param id the number in the ids of the blobs that it writes; random for a cache
 * @param endpoint the address at which it answers other members of its zone
 * @param zone the zone in which it runs
 * @param partitions the partitions that it reads; writers put their records into its zone's
 *     section; empty for a cache
 * @param formatVersion the newest blob format that it reads; it also reads all older ones
 */
public record Member(long id, Endpoint endpoint, Zone zone, Set<Partition> partitions, int formatVersion) {
    /** Copies the partitions. */
    public Member {
        partitions = Set.copyOf(partitions);
        if (formatVersion < 1) {
            throw new IllegalArgumentException(
                    "Cannot form a member: format version " + formatVersion + ". Give 1 or more.");
        }
    }
}
