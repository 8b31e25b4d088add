package dev.blobshuffle.core.internal.owner;

import java.util.Optional;

/**
 * The state that a sweeper keeps in memory between its steps, besides its instance's state.
 *
 * @param stage the next stage
 * @param since the end of the previous stage; monotonic, in nanoseconds
 * @param promise the promise of the owner's line at the listing; empty before it
 * @param doubt the token of its cluster's doubt at the last step
 * @param lower the token of an announced smaller promise
 * @param life the last life sign of another cluster whose owner is forgotten; otherwise empty
 */
public record SweepState(
        Stage stage,
        long since,
        Optional<Promise> promise,
        Optional<Seen> doubt,
        Optional<Seen> lower,
        Optional<String> life) {
    /** The state of a sweeper that has just started. */
    public static final SweepState NEW =
            new SweepState(Stage.LIST, 0, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** The three steps. */
    public enum Stage {
        /** List the owner's blobs. */
        LIST,
        /** Read the logs, and set tombstones. */
        DECIDE,
        /** Delete the blobs with tombstones. */
        DELETE
    }

    /** The state after a complete listing. */
    public SweepState listed(long now) {
        return new SweepState(Stage.DECIDE, now, promise, doubt, lower, life);
    }

    /** The state after the tombstones are set. */
    public SweepState decided(long now) {
        return new SweepState(Stage.DELETE, now, promise, doubt, lower, life);
    }

    /**
     * The state after a sweep has ended or must begin again. Its listing and tombstones are void.
     */
    public SweepState over() {
        return new SweepState(Stage.LIST, since, Optional.empty(), doubt, lower, Optional.empty());
    }
}
