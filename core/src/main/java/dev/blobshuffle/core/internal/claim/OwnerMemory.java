package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.internal.owner.ClaimsTopic;
import dev.blobshuffle.core.internal.owner.Step.Remember;
import java.util.Optional;
import java.util.Set;

/**
 * The memory of a user of stores for its raises and its owner: the claims topics of a Kafka
 * cluster, or a table of a commit log. Owned by one thread.
 */
public interface OwnerMemory {
    /** The whole content of a claims topic, if this user may read it. */
    ClaimsTopic read(String topic) throws InterruptedException;

    /**
     * Writes a record to the own claims topic. When the call returns empty, the record is durable.
     *
     * @return why the record cannot be written; empty if it was written
     */
    Optional<String> remember(Remember what) throws InterruptedException;

    /**
     * Forgets raises that no register can hold any more. If this fails, they stay and the call
     * succeeds, because nothing depends on it.
     *
     * @param before raises with a lower counter are forgotten
     * @param kept the ids that stay in any case: those in the register
     */
    void forget(long before, Set<String> kept) throws InterruptedException;
}
