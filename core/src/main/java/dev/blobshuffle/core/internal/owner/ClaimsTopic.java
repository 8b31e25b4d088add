package dev.blobshuffle.core.internal.owner;

import java.util.List;
import java.util.Set;

/** The result of reading a claims topic, or a commit log's table. */
public sealed interface ClaimsTopic {
    /**
     * Everything that was written and acknowledged before the read. A topic that does not exist is
     * empty.
     *
     * @param raises the ids of raises
     * @param owners the created owners, in the order of their records
     */
    record Known(Set<String> raises, List<Integer> owners) implements ClaimsTopic {
        /** Copies both. */
        public Known {
            raises = Set.copyOf(raises);
            owners = List.copyOf(owners);
        }
    }

    /**
     * The topic cannot be read or written, for example because a permission or the brokers are
     * missing.
     *
     * @param reason completes "Cannot use the claims topic: …"
     */
    record Unreadable(String reason) implements ClaimsTopic {}
}
