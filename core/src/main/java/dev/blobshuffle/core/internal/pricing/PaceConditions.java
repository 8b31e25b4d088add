package dev.blobshuffle.core.internal.pricing;

/**
 * The inputs to the choice of a {@link Pace}, in addition to the times of requests.
 *
 * @param targetSeconds the latency to meet
 * @param longestSeconds the longest time that a batch may fill
 * @param bytesPerSecond stored bytes per second into one batch
 * @param mostBytes the most that one batch may hold
 * @param blobBytes the largest blob
 * @param inlineBytes smaller batches become no blob; 0: every batch becomes one
 * @param sections sections of a batch: zones with records
 * @param leastBlobs the fewest blobs that the layout allows
 * @param mostBlobs the most blobs that the layout allows
 * @param hiddenSeconds time between commits, if readers see records only after the commit; 0:
 *     readers see records at once
 */
public record PaceConditions(
        double targetSeconds,
        double longestSeconds,
        double bytesPerSecond,
        double mostBytes,
        double blobBytes,
        double inlineBytes,
        int sections,
        int leastBlobs,
        int mostBlobs,
        double hiddenSeconds) {
    private static final double LEAST_SECONDS = 0.001;

    /** Checks that a choice is possible. */
    public PaceConditions {
        boolean arePositive = targetSeconds > 0
                && longestSeconds > 0
                && bytesPerSecond > 0
                && mostBytes > 0
                && blobBytes > 0
                && sections > 0;
        if (!arePositive || leastBlobs < 1 || mostBlobs < leastBlobs || inlineBytes < 0 || hiddenSeconds < 0) {
            throw new IllegalArgumentException("Cannot choose how batches fill: a condition is not positive. Give "
                    + "positive numbers, and a range of blobs.");
        }
    }

    /** The shortest sensible fill time, unless a batch is full earlier. */
    double leastSeconds() {
        return Math.min(LEAST_SECONDS, Math.min(longestSeconds, blobBytes / bytesPerSecond));
    }

    /** The longest time that a batch of the given number of blobs may fill. */
    double longestSeconds(int blobs) {
        return Math.min(longestSeconds, Math.min(mostBytes, blobs * blobBytes) / bytesPerSecond);
    }
}
