package dev.blobshuffle.core.internal.owner;

import java.util.Optional;

/**
 * What a sweeper keeps in memory between its steps, beside its instance's state.
 *
 * @param stage what it does next
 * @param since when it did the last thing; monotonic, in nanoseconds
 * @param promise of the owner's line at the listing; empty before it
 * @param doubt the token that its cluster's doubt had at the last look
 * @param lower the token of the smaller promise that it announced
 * @param life what another cluster wrote last, if its owner is forgotten; else empty
 */
public record SweepState(
        Stage stage,
        long since,
        Optional<Promise> promise,
        Optional<Seen> doubt,
        Optional<Seen> lower,
        Optional<String> life) {
    /** Of a sweeper that has just started. */
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

    /** The listing is complete. */
    public SweepState listed(long now) {
        return new SweepState(Stage.DECIDE, now, promise, doubt, lower, life);
    }

    /** The tombstones are set. */
    public SweepState decided(long now) {
        return new SweepState(Stage.DELETE, now, promise, doubt, lower, life);
    }

    /** The sweep is over, or must begin again: its listing and tombstones are void. */
    public SweepState over() {
        return new SweepState(Stage.LIST, since, Optional.empty(), doubt, lower, Optional.empty());
    }
}
