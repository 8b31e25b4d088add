package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.store.Register;
import java.util.Optional;

/** The claim register of one store. Each call waits for its answer. Owned by one thread. */
public interface ClaimCell {
    /** What the register holds. */
    Optional<Register> read() throws InterruptedException;

    /**
     * Replaces what was read; false if somebody else did.
     *
     * @throws dev.blobshuffle.core.failure.StoreUnavailable recoverable: the text may be written or
     *     not, which the next read shows
     */
    boolean replace(Optional<Register> expected, String text) throws InterruptedException;
}
