package dev.blobshuffle.simulator.trial;

import java.time.Duration;

/**
 * How batches fill in a run under a {@link SwingingLoad}.
 *
 * @param name for tables
 * @param adaptive whether the adaptive mode chooses size and delay for a target latency; the two
 *     components are then its upper limits
 * @param mebibytes the largest blob, before its division
 * @param delay the longest delay
 */
public record Batched(String name, boolean adaptive, int mebibytes, Duration delay) {
    /** Checks that a blob can be divided. */
    public Batched {
        if (mebibytes < 1 || delay.toMillis() < 1) {
            throw new IllegalArgumentException(
                    "Cannot batch by " + mebibytes + " MiB and " + delay.toMillis() + " ms. Give at least 1 of each.");
        }
    }

    /** By the adaptive mode. */
    public static Batched adaptive(Duration target) {
        return new Batched("adaptive", true, SwingingLoad.LARGEST_BLOB, target);
    }

    /** By a fixed size and delay. */
    public static Batched fixed(int mebibytes, Duration delay) {
        return new Batched(mebibytes + " MiB, " + delay.toMillis() + " ms", false, mebibytes, delay);
    }
}
