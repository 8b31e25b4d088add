package dev.blobshuffle.log.internal.group;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The partitions that a member may read until its lease ends.
 *
 * @param generation of the group; rises with each change of its members
 * @param validFor how long the lease is valid from the call that returned it, by the log's clock
 * @param owned the partitions that the member owns
 * @param absent numbers of topics that the member reads but that no longer exist
 */
public record Lease(long generation, Duration validFor, List<OwnedPartition> owned, Set<Integer> absent) {
    /** Copies the list and the set. */
    public Lease {
        owned = List.copyOf(owned);
        absent = Set.copyOf(absent);
    }
}
