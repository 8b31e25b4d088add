package dev.blobshuffle.spark.internal.write;

import java.time.Duration;

/**
 * When the maps of a blob are enough.
 *
 * @param bytes from this size on a blob takes no further map
 * @param maps from this number of maps on a blob takes no further one
 * @param age how long a blob waits for its upload
 * @param awayAge how long it waits if executors of other zones may read it
 * @param whenStored what happens to the outputs of its maps then
 */
public record PackingRule(long bytes, int maps, Duration age, Duration awayAge, WhenStored whenStored) {
    /** Segments of a blob of several maps. Its footer has about 12 bytes for each. */
    static final int MOST_SEGMENTS = 65_536;

    /** Segments of one map: its footer must be shorter than 16 MiB. */
    private static final int MOST_SEGMENTS_OF_A_MAP = 800_000;

    /** The longest output in a blob. Object stores take 5 GB in one request. */
    private static final long LONGEST_MAP = 4L << 30;

    /** Below it, a footer would be a fifth of a blob. */
    private static final long LEAST_SEGMENT = 64;

    /** Whether outputs of stored maps stay on the executor's disk. */
    public enum WhenStored {
        /** They stay on the executor's disk until Spark removes the shuffle. */
        KEEP,
        /** They leave the disk, and each map waits for its upload. */
        RELEASE
    }

    /** Whether an output goes into a blob at all. */
    boolean takes(MapOutput output) {
        long bytes = output.bytes();
        int segments = output.segments();
        boolean isWorthIt = whenStored == WhenStored.RELEASE || bytes >= LEAST_SEGMENT * segments;
        return bytes > 0 && bytes <= LONGEST_MAP && segments <= MOST_SEGMENTS_OF_A_MAP && isWorthIt;
    }
}
