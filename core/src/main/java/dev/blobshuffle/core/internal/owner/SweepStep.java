package dev.blobshuffle.core.internal.owner;

/**
 * What a sweeper may do once the step's writes have succeeded.
 *
 * @param order what to do
 * @param member the writes, and the state of the sweeper's instance
 * @param next the sweeper's state
 */
public record SweepStep(Order order, Step member, SweepState next) {
    /** What to do. */
    public enum Order {
        /** What the state's stage says. */
        GO,
        /** Begin the next step at once. */
        AGAIN,
        /** Take the next step later; nothing else changed. */
        WAIT,
        /** Drop listing and tombstones, and take the next step later. */
        START_OVER
    }
}
