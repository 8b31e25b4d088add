package dev.blobshuffle.core.internal.pricing;

/**
 * The fill time of batches, and the number of their blobs.
 *
 * @param fillSeconds time from a batch's first record to its seal
 * @param blobs number of blobs per batch
 * @param p95Seconds predicted p95 of the latency of records
 * @param meetsTarget whether the p95 is within the target; if not, this is the best sensible pace
 */
public record Pace(double fillSeconds, int blobs, double p95Seconds, boolean meetsTarget) {
    /** Checks every value. */
    public Pace {
        if (!(fillSeconds > 0 && blobs > 0 && p95Seconds >= 0)) {
            throw new IllegalArgumentException(
                    "Cannot fill batches for " + fillSeconds + " s into " + blobs + " blobs. Give positive numbers.");
        }
    }
}
