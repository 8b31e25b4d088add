package dev.blobshuffle.kafka.internal.membership;

import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PartitionRanges;
import dev.blobshuffle.core.zone.Zone;
import java.util.Optional;
import java.util.Set;

/**
 * The announcement of an instance about itself.
 *
 * @param id the number in the ids of the blobs that it writes, or a random one
 * @param zone where it runs
 * @param endpoint where it serves other members; empty if it does not
 * @param formatVersion the newest blob format that it reads; it reads all older ones too
 * @param reads the partitions that it reads
 * @param combining whether it combines its blobs, for operators; empty if it has not decided, or
 *     is of an earlier version
 */
record Presence(
        long id,
        Zone zone,
        Optional<Endpoint> endpoint,
        int formatVersion,
        PartitionRanges reads,
        Optional<String> combining) {
    /** Checks the version. */
    Presence {
        if (formatVersion < 1) {
            throw new IllegalArgumentException(
                    "Cannot form a presence: format version " + formatVersion + ". Give 1 or more.");
        }
    }

    /** The presence of an instance that shows nothing about combining. */
    Presence(long id, Zone zone, Optional<Endpoint> endpoint, int formatVersion, PartitionRanges reads) {
        this(id, zone, endpoint, formatVersion, reads, Optional.empty());
    }

    /**
     * The member that others may send requests to; empty if it has no endpoint. Without what it
     * reads, which the snapshot keeps.
     */
    Optional<Member> member() {
        return endpoint.map(where -> new Member(id, where, zone, Set.of(), formatVersion));
    }
}
