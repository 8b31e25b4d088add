package dev.blobshuffle.kafka.internal.claim;

import dev.blobshuffle.core.store.Register;
import java.util.Optional;

/** The claim register of one store. Each call waits for its answer. Owned by one thread. */
interface ClaimCell {
    /** What the register holds. */
    Optional<Register> read() throws InterruptedException;

    /** Replaces what was read; false if somebody else did, or if it is not known who did. */
    boolean replace(Optional<Register> expected, String text) throws InterruptedException;
}
