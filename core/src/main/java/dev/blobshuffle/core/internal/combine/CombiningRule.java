package dev.blobshuffle.core.internal.combine;

import java.time.Duration;

/**
 * When combining pays. {@link AutoCombining} decides by it at run time, and the planner in advance.
 *
 * @param onBelow an instance begins to combine if its blobs have fewer bytes on average
 * @param offFrom it ends if they have this many bytes or more
 * @param trialParts parts that it hands over before it judges what they share
 * @param retry the time between two trials of instances that do not combine
 * @param withoutHub the time without a hub after which the zone counts as having none
 */
public record CombiningRule(long onBelow, long offFrom, int trialParts, Duration retry, Duration withoutHub) {
    /**
     * The least bytes of a combined blob for each byte of a part, on average. Below, most parts
     * have no others to share a blob with, and the wait for them is in vain.
     */
    public static final double LEAST_SHARING = 1.5;

    /**
     * The least target for the latency. A hub adds its window and two hand-overs, up to 100 ms to
     * the p95.
     */
    public static final Duration LEAST_TARGET = Duration.ofMillis(500);

    /**
     * The most that sharing lowers the size from which a batch pays. Notifications are not shared,
     * and in smaller batches they are as large as the records.
     */
    private static final double MOST_SHARING = 32;

    private static final int HYSTERESIS = 2;
    private static final double KIBIBYTE = 1024;
    private static final int TRIAL_PARTS = 10;
    private static final Duration RETRY = Duration.ofMinutes(5);
    private static final Duration WITHOUT_HUB = Duration.ofMinutes(1);

    /** Checks the numbers. */
    public CombiningRule {
        if (onBelow < 1 || offFrom < onBelow || trialParts < 1 || retry.toMillis() < 1) {
            throw new IllegalArgumentException("Cannot decide on combining: on below " + onBelow + " bytes, off from "
                    + offFrom + ", trials of " + trialParts + " parts every " + retry + ". Give positive numbers.");
        }
    }

    /**
     * The usual rule: off from the size at which a blob is stored by itself, on below half of it.
     */
    public static CombiningRule of(CombineOptions options) {
        long least = Math.max(1, options.partBytes() / HYSTERESIS);
        return new CombiningRule(least, options.partBytes(), TRIAL_PARTS, RETRY, WITHOUT_HUB);
    }

    /**
     * The size below which a batch is cheaper through the channel, a multiple of 1 KiB.
     *
     * @param alone this size for a blob that is stored by itself, bytes
     * @param sharing bytes of a combined blob for each byte of a part
     */
    public static double inlineBytes(double alone, double sharing) {
        double share = Math.max(1, Math.min(MOST_SHARING, sharing));
        return Math.ceil(alone / share / KIBIBYTE) * KIBIBYTE;
    }

    /** The size below which no batch is part of a trial. */
    static double leastInlineBytes(double alone) {
        return inlineBytes(alone, MOST_SHARING);
    }
}
