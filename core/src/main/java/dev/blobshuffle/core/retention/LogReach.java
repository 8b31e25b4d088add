package dev.blobshuffle.core.retention;

import dev.blobshuffle.core.format.Partition;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * How far back logs go, which tells orphans from blobs whose notifications the logs have let go. A log loses its records from the start on, so one that has lost nothing yet, or that still leads to
 * a blob which is clearly older than another one, would also hold every notification of the other one. Where a log is empty or holds young notifications only, it tells nothing. Owned by one
 * thread.
 */
final class LogReach {
    /** What is clearly older, in generations (minutes): a notification may be late by some of that, and clocks of writers may differ by some. */
    private static final long MARGIN = 15;

    private final Set<Partition> whole = new HashSet<>();
    private final Set<Partition> silent = new HashSet<>();
    private final Map<Partition, Long> oldest = new HashMap<>();

    /** A log begins at its first offset. */
    void lostNothing(Partition partition) {
        whole.add(partition);
    }

    /** A log has never held a record. */
    void neverHeldAny(Partition partition) {
        silent.add(partition);
    }

    /** Whether one of the logs has never held a record: then it is not the log of a blob. */
    boolean anyIsSilent(Collection<Partition> partitions) {
        return partitions.stream().anyMatch(silent::contains);
    }

    /** A log leads to a blob. */
    void leadsTo(Partition partition, long generation) {
        oldest.merge(partition, generation, Math::min);
    }

    /**
     * Whether the logs of all of a blob's partitions would hold its notifications, had there ever been any.
     *
     * @param partitions of the blob's records; none: the logs tell nothing
     */
    boolean coversAll(Collection<Partition> partitions, long generation) {
        return !partitions.isEmpty() && partitions.stream().allMatch(partition -> covers(partition, generation));
    }

    private boolean covers(Partition partition, long generation) {
        Long first = oldest.get(partition);
        return whole.contains(partition) || first != null && first + MARGIN <= generation;
    }
}
