package dev.blobshuffle.core.internal.owner;

/**
 * The decision on what a sweeper may do once the step's writes have succeeded.
 *
 * @param order the sweeper's next action
 * @param member the writes, and the state of the sweeper's instance
 * @param next the sweeper's state
 */
public record SweepStep(Order order, Step member, SweepState next) {
    /** The next action of a sweeper. */
    public enum Order {
        /** Do the work of the state's stage. */
        GO,
        /** Begin the next step at once. */
        AGAIN,
        /** Take the next step later; nothing else changed. */
        WAIT,
        /** Drop listing and tombstones, and take the next step later. */
        START_OVER
    }
}
