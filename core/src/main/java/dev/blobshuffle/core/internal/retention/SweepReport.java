package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.store.BlobId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The findings of a sweep. Every listed blob is counted once: needed, unneeded, kept, damaged,
 * of other content, silent, spared, or already gone.
 *
 * @param listed blobs that were examined
 * @param listedBytes their bytes, estimated
 * @param needed blobs with a notification
 * @param oldest the oldest of these
 * @param unneeded blobs without a notification, which get tombstones
 * @param unneededBytes their bytes
 * @param orphans unneeded blobs that never had a notification, as far as the logs prove it; orphans
 *     older than the logs are not counted
 * @param orphanBytes their bytes
 * @param kept blobs that are kept because one of their topics is not in this cluster
 * @param unknownTopics these topics
 * @param damaged blobs that are kept because their footer cannot be read
 * @param damagedExample one of these
 * @param otherContent blobs that are kept because they hold other content than records
 * @param silent blobs that are kept because one of their logs has never held a record
 * @param spared blobs without a notification, or beyond their time to live, that stay because they
 *     are younger than the floor
 * @param unsettled blobs that are kept because notifications of the past may still appear in one of
 *     their logs
 * @param doubts these logs, and why
 * @param links notifications of blobs in this store, listed or not
 */
public record SweepReport(
        int listed,
        long listedBytes,
        int needed,
        Optional<BlobReference> oldest,
        int unneeded,
        long unneededBytes,
        int orphans,
        long orphanBytes,
        int kept,
        Set<String> unknownTopics,
        int damaged,
        Optional<BlobId> damagedExample,
        int otherContent,
        int silent,
        int spared,
        int unsettled,
        Map<Partition, String> doubts,
        long links) {
    /** The number of orphans that crashes usually leave at most. */
    private static final int USUAL_ORPHANS = 100;

    /** The most logs that a message names. */
    private static final int NAMED = 10;

    /** The report of a sweep that examined nothing. */
    public static final SweepReport NOTHING = new SweepReport(
            0, 0, 0, Optional.empty(), 0, 0, 0, 0, 0, Set.of(), 0, Optional.empty(), 0, 0, 0, 0, Map.of(), 0);

    /** Copies the topics and the doubts. */
    public SweepReport {
        unknownTopics = Set.copyOf(unknownTopics);
        doubts = Map.copyOf(doubts);
    }

    /** The first logs in doubt with their reasons, for messages. */
    public String doubtsInWords() {
        String named = inDoubt().stream()
                .limit(NAMED)
                .map(partition -> partition + " (" + doubts.get(partition) + ")")
                .collect(Collectors.joining(", "));
        return doubts.size() > NAMED ? named + " and " + (doubts.size() - NAMED) + " more" : named;
    }

    /** The logs in doubt, in order. */
    public List<Partition> inDoubt() {
        return doubts.keySet().stream()
                .sorted(Comparator.comparing(Partition::stream).thenComparing(Partition::number))
                .toList();
    }

    /** Whether there are so many orphans that they may belong to another cluster. */
    public boolean hasTooManyOrphans() {
        return orphans > USUAL_ORPHANS && orphans > listed / 2;
    }

    /** Adds the findings of a later round. */
    public SweepReport plus(SweepReport later) {
        Set<String> topics = new TreeSet<>(unknownTopics);
        topics.addAll(later.unknownTopics);
        Map<Partition, String> allDoubts = new HashMap<>(doubts);
        allDoubts.putAll(later.doubts);
        return new SweepReport(
                listed + later.listed,
                listedBytes + later.listedBytes,
                needed + later.needed,
                oldest.or(later::oldest), // Rounds go from old to new.
                unneeded + later.unneeded,
                unneededBytes + later.unneededBytes,
                orphans + later.orphans,
                orphanBytes + later.orphanBytes,
                kept + later.kept,
                topics,
                damaged + later.damaged,
                damagedExample.or(later::damagedExample),
                otherContent + later.otherContent,
                silent + later.silent,
                spared + later.spared,
                unsettled + later.unsettled,
                allDoubts,
                links + later.links);
    }
}
