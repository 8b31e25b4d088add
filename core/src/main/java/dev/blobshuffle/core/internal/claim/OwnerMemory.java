package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.internal.owner.ClaimsTopic;
import dev.blobshuffle.core.internal.owner.Step.Remember;
import java.util.Optional;
import java.util.Set;

/**
 * What a user of stores remembers of its raises and its owner: the claims topics of a Kafka
 * cluster, or a table of a commit log. Owned by one thread.
 */
public interface OwnerMemory {
    /** All that a claims topic holds, if this user may read it. */
    ClaimsTopic read(String topic) throws InterruptedException;

    /**
     * Writes into the own claims topic. When the call returns, the record is durable.
     *
     * @return why it cannot be written; empty: it is
     */
    Optional<String> remember(Remember what) throws InterruptedException;

    /**
     * Forgets raises that no register can hold any more. If that fails, they stay and the call
     * succeeds: nothing depends on it.
     *
     * @param before raises that were remembered with a lower counter go
     * @param kept ids that stay all the same: those in the register
     */
    void forget(long before, Set<String> kept) throws InterruptedException;
}
