package dev.blobshuffle.log.internal.sweep;

/**
 * What a pass over a log and its store did, or, for a look, what it would do.
 *
 * @param trimmed batches that were removed from the log; unknown to a look, which counts 0
 * @param buried blobs that got a tombstone because their last batch was removed
 * @param orphans blobs that got a tombstone because no batch ever referred to them
 * @param postponed blobs without a batch that get their tombstone later, because a commit may still
 *     refer to blobs of their generation
 * @param listed generations that were listed
 * @param deleted blobs that were deleted from the store
 */
public record LogSweepReport(long trimmed, long buried, long orphans, long postponed, long listed, long deleted) {
    /** Nothing happened. */
    public static final LogSweepReport NOTHING = new LogSweepReport(0, 0, 0, 0, 0, 0);

    /** Whether the pass changed nothing and left nothing for later. */
    public boolean isIdle() {
        return trimmed + buried + orphans + postponed + deleted == 0;
    }
}
