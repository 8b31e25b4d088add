package dev.blobshuffle.core.internal.container;

/**
 * Neighbouring segments of a container, by their index in its footer. Half-open.
 *
 * @param first index of the first
 * @param end index after the last; more than the first
 */
public record SegmentRun(int first, int end) {
    /** Checks that there is a segment. */
    public SegmentRun {
        if (first < 0 || end <= first) {
            throw new IllegalArgumentException(
                    "Cannot form a run of segments: [" + first + ", " + end + ") has none. Give 1 or more.");
        }
    }

    /** How many there are. */
    public int count() {
        return end - first;
    }
}
