package dev.blobshuffle.flightdaemon.internal.blob;

/**
 * A half-open range of partitions.
 *
 * @param first partition
 * @param end the partition after the last
 */
public record PartitionRange(int first, int end) {
    /** Checks that the range is not empty. */
    public PartitionRange {
        if (first < 0 || end <= first) {
            throw new IllegalArgumentException(
                    "Cannot read partitions [" + first + ", " + end + "): name at least one, counted from 0.");
        }
    }

    /** A range of one partition. */
    public static PartitionRange of(int partition) {
        return new PartitionRange(partition, Math.addExact(partition, 1));
    }

    @Override
    public String toString() {
        return "[" + first + ", " + end + ")";
    }
}
