package dev.blobshuffle.core.pricing;

/**
 * What the choice of a {@link Pace} depends on, beside the times of requests.
 *
 * @param targetSeconds the latency to meet
 * @param longestSeconds the longest that a batch may fill
 * @param bytesPerSecond stored bytes into one batch
 * @param mostBytes the most that one batch may hold
 * @param blobBytes the largest blob
 * @param inlineBytes below this a batch becomes no blob; 0: always one
 * @param sections sections of a batch: zones with records
 * @param leastBlobs the fewest blobs that the layout allows
 * @param mostBlobs the most
 * @param hiddenSeconds time between the commits before which nobody sees a record; 0: records are seen at once
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

    /** Shorter makes no sense, unless a batch is full before. */
    double leastSeconds() {
        return Math.min(LEAST_SECONDS, Math.min(longestSeconds, blobBytes / bytesPerSecond));
    }

    /** The longest that a batch may fill if it becomes so many blobs. */
    double longestSeconds(int blobs) {
        return Math.min(longestSeconds, Math.min(mostBytes, blobs * blobBytes) / bytesPerSecond);
    }
}
