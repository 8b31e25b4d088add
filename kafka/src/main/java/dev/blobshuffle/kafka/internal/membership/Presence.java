package dev.blobshuffle.kafka.internal.membership;

import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PartitionRanges;
import dev.blobshuffle.core.zone.Zone;
import java.util.Optional;
import java.util.Set;

/**
 * What an instance announces about itself.
 *
 * @param id the number in the ids of the blobs that it writes, or a random one
 * @param zone where it runs
 * @param endpoint where it serves other members; empty if it does not
 * @param formatVersion the newest blob format that it reads; it reads all older ones too
 * @param reads the partitions that it reads
 */
record Presence(long id, Zone zone, Optional<Endpoint> endpoint, int formatVersion, PartitionRanges reads) {
    /** Checks the version. */
    Presence {
        if (formatVersion < 1) {
            throw new IllegalArgumentException(
                    "Cannot form a presence: format version " + formatVersion + ". Give 1 or more.");
        }
    }

    /**
     * The member that others may send requests to; empty if it has no endpoint. Without what it
     * reads, which the snapshot keeps.
     */
    Optional<Member> member() {
        return endpoint.map(where -> new Member(id, where, zone, Set.of(), formatVersion));
    }
}
