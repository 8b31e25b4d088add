package dev.blobshuffle.log.internal.sweep;

import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import java.time.Duration;

/**
 * How a log is swept.
 *
 * @param grace from a tombstone to the deletion of its blob
 * @param objection from the claim to the first deletion: each live instance of another log, cluster
 *     or copy checks the claims in it, and contests
 * @param uploadLife after this time no attempt to store a blob can still succeed; a generation is
 *     listed again until it is over
 * @param floor no younger blob gets a tombstone; zero: no floor
 * @param blobsPerSecond the most blobs asked for, buried or deleted per second
 */
public record LogSweepOptions(
        Duration grace, Duration objection, Duration uploadLife, Duration floor, int blobsPerSecond) {
    /**
     * The usual ones. A put may wait, be retried and be hedged for minutes, and a machine that
     * stood still may send later. Nobody knows a put that arrives a day late.
     */
    public static final LogSweepOptions USUAL = new LogSweepOptions(
            Duration.ofMinutes(15),
            OwnerTiming.USUAL.raise(),
            Duration.ofDays(1),
            RetentionSettings.FLOOR.defaultValue(),
            1000);

    /** Checks the values. */
    public LogSweepOptions {
        boolean isNegative =
                grace.isNegative() || objection.isNegative() || uploadLife.isNegative() || floor.isNegative();
        if (isNegative || blobsPerSecond < 1) {
            throw new IllegalArgumentException("Cannot sweep a log with grace " + grace + ", objection " + objection
                    + ", life of uploads " + uploadLife + ", floor " + floor + " and " + blobsPerSecond
                    + " blobs per second. Use times from 0 and 1 or more blobs.");
        }
    }

    /** The same with another floor. */
    public LogSweepOptions withFloor(Duration other) {
        return new LogSweepOptions(grace, objection, uploadLife, other, blobsPerSecond);
    }
}
