package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.format.Partition;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Records how far back logs reach. This distinguishes orphans from blobs whose notifications Kafka
 * has already deleted. Kafka deletes the oldest records of a log first. A log that has lost no
 * record still holds every notification. If a log holds a notification of a clearly older blob, it
 * still holds all notifications of the given blob. An empty log, or one with young notifications
 * only, proves nothing. Owned by one thread.
 */
final class LogReach {
    /**
     * The age difference that counts as clearly older, in generations (minutes). It covers late
     * notifications and differences between the writers' clocks.
     */
    private static final long MARGIN = 15;

    private final Set<Partition> whole = new HashSet<>();
    private final Set<Partition> silent = new HashSet<>();
    private final Map<Partition, Long> oldest = new HashMap<>();
    private final Set<String> topics = new HashSet<>();
    private final Set<Partition> settled = new HashSet<>();
    private final Map<Partition, String> doubts = new HashMap<>();

    /**
     * Records that the logs of some topics were read.
     *
     * @param listed the terms of the logs before the blobs were listed
     */
    void read(
            Set<String> read,
            Map<Partition, NotificationLogs.Extent> extents,
            Map<Partition, NotificationLogs.Term> listed) {
        topics.addAll(read);
        extents.forEach((partition, extent) -> {
            Optional<String> doubt = doubt(extent, Optional.ofNullable(listed.get(partition)));
            if (doubt.isPresent()) {
                doubts.put(partition, doubt.get());
            } else {
                settled.add(partition);
                if (extent.start() == 0) {
                    lostNothing(partition);
                }
                if (extent.end() == 0) {
                    neverHeldAny(partition);
                }
            }
        });
    }

    private static Optional<String> doubt(NotificationLogs.Extent extent, Optional<NotificationLogs.Term> listed) {
        if (extent.doubt().isPresent()
                || extent.term().equals(listed)
                || extent.term().isEmpty()) {
            return extent.doubt();
        }
        if (listed.isEmpty()) {
            return Optional.of("it had no leader, or did not exist, when the store was listed");
        }
        return Optional.of(
                extent.term().get().log().equals(listed.get().log())
                        ? "its leader changed after the store was listed"
                        : "its topic was created again after the store was listed");
    }

    /**
     * The logs of these partitions in which notifications of the past may still appear, and why.
     */
    Map<Partition, String> doubts(Collection<Partition> partitions) {
        Map<Partition, String> found = new HashMap<>();
        for (Partition partition : partitions) {
            String doubt = doubts.get(partition);
            if (doubt != null) {
                found.put(partition, doubt);
            } else if (topics.contains(partition.stream()) && !settled.contains(partition)) {
                found.put(partition, "its topic has no such partition");
            }
        }
        return found;
    }

    /** Records that a log still begins at its first offset. */
    void lostNothing(Partition partition) {
        whole.add(partition);
    }

    /** Records that a log has never held a record. */
    void neverHeldAny(Partition partition) {
        silent.add(partition);
    }

    /**
     * Whether one of the logs has never held a record. Such a log cannot be that of a blob's
     * partition.
     */
    boolean anyIsSilent(Collection<Partition> partitions) {
        return partitions.stream().anyMatch(silent::contains);
    }

    /** Records that a log holds a notification of a blob. */
    void leadsTo(Partition partition, long generation) {
        oldest.merge(partition, generation, Math::min);
    }

    /**
     * Whether the logs of all of a blob's partitions would still hold any notification that was
     * ever sent for it.
     *
     * @param partitions the partitions of the blob's records; none: the logs prove nothing
     */
    boolean coversAll(Collection<Partition> partitions, long generation) {
        return !partitions.isEmpty() && partitions.stream().allMatch(partition -> covers(partition, generation));
    }

    private boolean covers(Partition partition, long generation) {
        Long first = oldest.get(partition);
        return whole.contains(partition) || first != null && first + MARGIN <= generation;
    }
}
