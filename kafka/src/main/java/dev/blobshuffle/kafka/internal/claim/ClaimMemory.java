package dev.blobshuffle.kafka.internal.claim;

import java.util.Set;

/**
 * What a cluster remembers of the raises of one application: a claims topic. Owned by one thread.
 */
interface ClaimMemory {
    /** The claimant ids that the cluster knows, all that were remembered before the call. */
    Set<String> known() throws InterruptedException;

    /**
     * Remembers an id before it goes into the register. When the call returns, the brokers have it.
     */
    void remember(String id, long counter) throws InterruptedException;

    /**
     * Forgets ids that no register can hold any more. If that fails, they stay: nothing depends on
     * it.
     *
     * @param before ids that were remembered with a lower counter go
     * @param kept ids that stay all the same: those in the register
     */
    void forget(long before, Set<String> kept) throws InterruptedException;
}
