package dev.blobshuffle.core.internal.owner;

import java.util.Optional;

/**
 * The state that an instance keeps in memory between its checks.
 *
 * @param owner its owner; empty until it has proven or created one
 * @param hasRaised whether it has raised its cluster's line since it started
 * @param line the id in its cluster's line, and when the id was first seen
 * @param token the token of its cluster's doubt at its last check
 * @param checkedAt the start of its last complete check; empty before the first one
 * @param counter the highest counter of the register that it has read
 */
public record MemberState(
        Optional<Integer> owner,
        boolean hasRaised,
        Optional<Seen> line,
        Optional<String> token,
        Optional<Long> checkedAt,
        long counter) {
    /** The state of an instance that has just started. */
    public static final MemberState NEW =
            new MemberState(Optional.empty(), false, Optional.empty(), Optional.empty(), Optional.empty(), -1);

    MemberState owning(Optional<Integer> next) {
        return new MemberState(next, hasRaised, line, token, checkedAt, counter);
    }

    /** Whether the instance may store blobs: it has an owner, and its last check is recent. */
    public boolean mayStore(OwnerTiming timing, long now) {
        return owner.isPresent()
                && checkedAt
                        .filter(at -> now - at < timing.storesFor().toNanos())
                        .isPresent();
    }
}
