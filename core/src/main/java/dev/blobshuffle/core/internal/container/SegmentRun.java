package dev.blobshuffle.core.internal.container;

/**
 * Neighbouring segments of a container, by their index in its footer. Half-open.
 *
 * @param first index of the first segment
 * @param end index after the last segment; more than the first
 */
public record SegmentRun(int first, int end) {
    /** Checks that the run has a segment. */
    public SegmentRun {
        if (first < 0 || end <= first) {
            throw new IllegalArgumentException(
                    "Cannot form a run of segments: [" + first + ", " + end + ") has none. Give 1 or more.");
        }
    }

    /** The number of segments. */
    public int count() {
        return end - first;
    }
}
