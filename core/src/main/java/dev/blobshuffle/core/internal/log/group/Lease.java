package dev.blobshuffle.core.internal.log.group;

import java.time.Duration;
import java.util.List;

/**
 * What a member may read until its lease ends.
 *
 * @param generation of the group; rises with each change of its members
 * @param validFor how long the lease is valid from the call that returned it, by the log's clock
 * @param owned the partitions that the member owns
 */
public record Lease(long generation, Duration validFor, List<OwnedPartition> owned) {
    /** Copies the list. */
    public Lease {
        owned = List.copyOf(owned);
    }
}
