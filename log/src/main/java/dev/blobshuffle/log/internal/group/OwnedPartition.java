package dev.blobshuffle.log.internal.group;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A partition that a member owns.
 *
 * @param partition the partition
 * @param generation required for commits of its positions; rises with each owner
 * @param position the group's committed position; empty: the group has never committed one
 * @param metadata the text stored with the position
 * @param isWanted whether the group assigns it to another member: finish the polled records, commit
 *     the position, and release it at the next renewal
 */
public record OwnedPartition(
        LogPartition partition, long generation, OptionalLong position, Optional<String> metadata, boolean isWanted) {}
