package dev.blobshuffle.simulator.trial;

import dev.blobshuffle.planner.LatencyProfile;
import java.time.Duration;

/**
 * A load that swings ten to one within 5 s: half a period high, half low. An instance's load is 44
 * MiB/s at most, and blobs have 16 MiB at most, both divided by 256; so are the bandwidths of the
 * store, so that requests and latencies are as with the real sizes.
 *
 * @param period from one rise to the next
 */
public record SwingingLoad(Duration period) {
    /** Size of each record. */
    public static final int RECORD_BYTES = 256;

    /** The largest size of a blob, MiB before division. */
    public static final int LARGEST_BLOB = 16;

    /**
     * The store: {@link LatencyProfile#S3_BLOBSHUFFLE_PAPER}, as slow with the small sizes as it is
     * with the real ones.
     */
    public static final LatencyProfile STORE;

    private static final double SCALE = 256;
    private static final double MIB = 1 << 20;
    private static final double MOST = 44;
    private static final double SWING_SECONDS = 5;
    private static final double LOW = 0.1;

    static {
        STORE = LatencyProfile.S3_BLOBSHUFFLE_PAPER.scaledDown(SCALE);
    }

    /** Checks that the load can swing. */
    public SwingingLoad {
        if (period.toMillis() < 4 * SWING_SECONDS * 1000) {
            throw new IllegalArgumentException(
                    "Cannot swing a load every " + period.toMillis() + " ms. Give 20 s or more.");
        }
    }

    /** Share of the highest load at so many seconds from the start. */
    public double share(double seconds) {
        double length = period.toMillis() / 1000.0;
        double at = seconds % length;
        double half = length / 2;
        double high = at < half ? Math.min(1, at / SWING_SECONDS) : Math.max(0, 1 - (at - half) / SWING_SECONDS);
        return LOW + (1 - LOW) * high;
    }

    /** Bytes that stand for so many MiB. */
    public static int scaled(int mebibytes) {
        return (int) (mebibytes * MIB / SCALE);
    }

    /** The highest load of an instance in bytes per second. */
    public static double mostBytesPerSecond() {
        return MOST * MIB / SCALE;
    }
}
