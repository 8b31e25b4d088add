package dev.blobshuffle.core.internal.format.record;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.zone.Zone;
import java.util.List;

/**
 * A segment to write into a blob: the frames of one lane's records for one partition.
 *
 * @param zone the zone of the partition's readers, which determines the section
 * @param partition the partition of the records
 * @param lane name of the lane that appended them
 * @param minTimestamp the smallest timestamp of its records, milliseconds
 * @param maxTimestamp the largest timestamp of its records, milliseconds
 * @param frames its frames, in append order; 1 or more
 */
public record SegmentSource(
        Zone zone, Partition partition, String lane, long minTimestamp, long maxTimestamp, List<Frame> frames) {
    /** Checks and copies the frames. */
    public SegmentSource {
        frames = List.copyOf(frames);
        if (frames.isEmpty() || minTimestamp > maxTimestamp) {
            throw new IllegalArgumentException("Cannot form a segment of " + partition + ": " + frames.size()
                    + " frames, timestamps " + minTimestamp + " to " + maxTimestamp + ".");
        }
    }

    /** Bytes that the segment takes in a blob. */
    public long length() {
        long length = 0;
        for (Frame frame : frames) {
            length += frame.storedLength();
        }
        return length;
    }

    /** Number of its records. */
    public int records() {
        long records = 0;
        for (Frame frame : frames) {
            records += frame.records();
        }
        return Math.toIntExact(records);
    }
}
