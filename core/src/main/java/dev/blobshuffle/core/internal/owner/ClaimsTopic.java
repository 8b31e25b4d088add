package dev.blobshuffle.core.internal.owner;

import java.util.List;
import java.util.Set;

/** What a read of a claims topic, or of a commit log's table, answered. */
public sealed interface ClaimsTopic {
    /**
     * All that had been written, and acknowledged, before the read. A topic that does not exist
     * holds nothing.
     *
     * @param raises the ids of raises
     * @param owners the owners that were made, in the order of their records
     */
    record Known(Set<String> raises, List<Integer> owners) implements ClaimsTopic {
        /** Copies both. */
        public Known {
            raises = Set.copyOf(raises);
            owners = List.copyOf(owners);
        }
    }

    /**
     * It cannot be read, or not be written: no permission, no brokers.
     *
     * @param reason completes "Cannot use the claims topic: …"
     */
    record Unreadable(String reason) implements ClaimsTopic {}
}
