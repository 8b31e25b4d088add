package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.store.Register;
import java.util.Optional;

/** The claim register of one store. Each call waits for its answer. Owned by one thread. */
public interface ClaimCell {
    /** Reads the register's value; empty if it was never written. */
    Optional<Register> read() throws InterruptedException;

    /**
     * Replaces the value that was read. Returns false if another writer has replaced it.
     *
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the text may have
     *     been written; the next read shows whether it was
     */
    boolean replace(Optional<Register> expected, String text) throws InterruptedException;
}
