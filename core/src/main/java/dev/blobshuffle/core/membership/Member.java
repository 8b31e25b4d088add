package dev.blobshuffle.core.membership;

import dev.blobshuffle.core.format.Partition;
import dev.blobshuffle.core.zone.Zone;
import java.util.Set;

/**
 * One member of a shuffle, as it tells of itself: an instance that writes and reads, or a cache that runs by itself.
 *
 * @param id the number in the ids of the blobs that it writes; a random one for a cache
 * @param endpoint where it answers the others of its zone
 * @param zone where it runs
 * @param partitions what it reads: their writers put them into its zone's section; empty for a cache
 * @param formatVersion the newest blob format that it reads, and with it all older ones
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
