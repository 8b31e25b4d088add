package dev.blobshuffle.kafka.claim;

import java.util.Set;

/** What a cluster remembers of the raises of one application: a claims topic. Owned by one thread. */
interface ClaimMemory {
    /** The claimant ids that the cluster knows, all that were remembered before the call. */
    Set<String> known() throws InterruptedException;

    /** Remembers an id before it goes into the register. When the call returns, the brokers have it. */
    void remember(String id, long counter) throws InterruptedException;
}
