package dev.blobshuffle.log.internal.sweep;

import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import java.time.Duration;

/**
 * The options of a sweep of a log.
 *
 * @param grace from a tombstone to the deletion of its blob
 * @param objection from the claim to the first deletion; in this time each live instance of another
 *     log, cluster or copy checks the claims, and contests
 * @param uploadLife the longest time after which an attempt to store a blob can still succeed; a
 *     generation is listed repeatedly until then
 * @param floor least age of a blob with a tombstone; zero: no floor
 * @param blobsPerSecond the most blobs listed, buried or deleted per second
 */
public record LogSweepOptions(
        Duration grace, Duration objection, Duration uploadLife, Duration floor, int blobsPerSecond) {
    /**
     * The usual options. A put may wait, be retried and be hedged for minutes, and a suspended
     * machine may send it later. A put that arrives a day late is unheard of.
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

    /** A copy with another floor. */
    public LogSweepOptions withFloor(Duration other) {
        return new LogSweepOptions(grace, objection, uploadLife, other, blobsPerSecond);
    }
}
