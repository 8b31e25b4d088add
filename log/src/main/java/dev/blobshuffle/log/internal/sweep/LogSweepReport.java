package dev.blobshuffle.log.internal.sweep;

/**
 * The result of a pass over a log and its store, or of a dry run.
 *
 * @param trimmed batches removed from the log; 0 for a dry run, which cannot know them
 * @param buried blobs that got a tombstone because their last batch was removed
 * @param orphans blobs that got a tombstone because no batch ever referred to them
 * @param postponed blobs without a batch that get their tombstone later, because a commit may still
 *     refer to blobs of their generation
 * @param listed generations listed
 * @param deleted blobs deleted from the store
 */
public record LogSweepReport(long trimmed, long buried, long orphans, long postponed, long listed, long deleted) {
    /** Nothing to report. */
    public static final LogSweepReport NOTHING = new LogSweepReport(0, 0, 0, 0, 0, 0);

    /** Whether the pass changed nothing and left nothing for later. */
    public boolean isIdle() {
        return trimmed + buried + orphans + postponed + deleted == 0;
    }
}
