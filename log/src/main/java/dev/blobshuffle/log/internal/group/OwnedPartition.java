package dev.blobshuffle.log.internal.group;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A partition that a member owns.
 *
 * @param partition the partition
 * @param generation to commit its positions with; rises with each owner
 * @param position the group's committed position; empty: the group has never committed one
 * @param metadata the text kept with the position
 * @param isWanted whether the group gives it to another member: finish what is polled, commit the
 *     position, and release it at the next renewal
 */
public record OwnedPartition(
        LogPartition partition, long generation, OptionalLong position, Optional<String> metadata, boolean isWanted) {}
