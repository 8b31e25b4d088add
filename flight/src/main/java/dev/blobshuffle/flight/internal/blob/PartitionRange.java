package dev.blobshuffle.flight.internal.blob;

/**
 * Partitions that follow each other, half-open.
 *
 * @param first the first
 * @param end the one after the last
 */
public record PartitionRange(int first, int end) {
    /** Checks that there is one. */
    public PartitionRange {
        if (first < 0 || end <= first) {
            throw new IllegalArgumentException(
                    "Cannot read partitions [" + first + ", " + end + "): name at least one, counted from 0.");
        }
    }

    /** One partition. */
    public static PartitionRange of(int partition) {
        return new PartitionRange(partition, Math.addExact(partition, 1));
    }

    @Override
    public String toString() {
        return "[" + first + ", " + end + ")";
    }
}
