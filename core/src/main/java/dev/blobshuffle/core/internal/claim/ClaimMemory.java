package dev.blobshuffle.core.internal.claim;

import java.util.Set;

/**
 * What a user of stores remembers of the raises behind one line: a claims topic of a Kafka cluster,
 * or a table of a commit log. Owned by one thread.
 */
public interface ClaimMemory {
    /** The claimant ids that the user knows, all that were remembered before the call. */
    Set<String> known() throws InterruptedException;

    /**
     * Remembers an id before it goes into the register. When the call returns, it is durable.
     */
    void remember(String id, long counter) throws InterruptedException;

    /**
     * Forgets ids that no register can hold any more. If that fails, they stay and the call
     * succeeds: nothing depends on it.
     *
     * @param before ids that were remembered with a lower counter go
     * @param kept ids that stay all the same: those in the register
     */
    void forget(long before, Set<String> kept) throws InterruptedException;
}
