package dev.blobshuffle.core.retention;

import dev.blobshuffle.core.format.BlobId;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a sweep found. Every listed blob is counted once: needed, unneeded, kept, damaged, foreign, or gone meanwhile.
 *
 * @param listed blobs that were looked at
 * @param listedBytes their bytes, estimated
 * @param needed blobs to which notifications lead
 * @param oldest the oldest of these
 * @param unneeded blobs that nobody needs: they get tombstones
 * @param unneededBytes their bytes
 * @param orphans blobs among these to which no notification ever led, as the logs tell; where they do not reach back far enough, an orphan is not among them
 * @param orphanBytes their bytes
 * @param kept blobs that are kept because a topic of theirs is not in this cluster
 * @param unknownTopics these topics
 * @param damaged blobs that are kept because their footer cannot be read
 * @param damagedExample one of these
 * @param foreign blobs of other applications
 * @param silent blobs that are kept because a log of theirs has never held a record
 * @param links notifications to this store, whatever blobs they lead to
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
        int foreign,
        int silent,
        long links) {
    /** Fewer orphans than this are what crashes leave. */
    private static final int USUAL_ORPHANS = 100;

    /** Nothing was looked at. */
    public static final SweepReport NOTHING =
            new SweepReport(0, 0, 0, Optional.empty(), 0, 0, 0, 0, 0, Set.of(), 0, Optional.empty(), 0, 0, 0);

    /** Copies the topics. */
    public SweepReport {
        unknownTopics = Set.copyOf(unknownTopics);
    }

    /** Whether every blob that was looked at is gone, or would be. */
    public boolean leavesNothing() {
        return needed + kept + damaged + foreign + silent == 0;
    }

    /** Whether so many blobs would go of which the logs never knew that these may be another cluster's. */
    public boolean hasTooManyOrphans() {
        return orphans > USUAL_ORPHANS && orphans > listed / 2;
    }

    /** This, and what a later round found. */
    public SweepReport plus(SweepReport later) {
        Set<String> topics = new TreeSet<>(unknownTopics);
        topics.addAll(later.unknownTopics);
        return new SweepReport(
                listed + later.listed,
                listedBytes + later.listedBytes,
                needed + later.needed,
                oldest.or(later::oldest), // rounds go from old to new
                unneeded + later.unneeded,
                unneededBytes + later.unneededBytes,
                orphans + later.orphans,
                orphanBytes + later.orphanBytes,
                kept + later.kept,
                topics,
                damaged + later.damaged,
                damagedExample.or(later::damagedExample),
                foreign + later.foreign,
                silent + later.silent,
                links + later.links);
    }
}
