package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.time.Time;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/**
 * Checks that a store heeds conditions. One that ignores them lets two sweepers both believe that
 * they are alone. Owned by one thread.
 */
public final class StoreConditions {
    private static final String REGISTER = "conditions";

    private final BlobStore store;
    private final Registers registers;
    private final Time time;
    private boolean isTried;

    /**
     * A check that has not run.
     *
     * @param store stays open
     * @throws InvalidSettings the store has no registers
     */
    public StoreConditions(BlobStore store, Time time) {
        this.store = store;
        this.time = time;
        registers = store.registers()
                .orElseThrow(() -> new InvalidSettings("Cannot sweep " + store.location()
                        + ": it cannot compare and set, so nobody can tell who else sweeps it. Use another store."));
    }

    /** The store's registers. */
    public Registers registers() {
        return registers;
    }

    /**
     * Tries a condition on a register of its own, the first time.
     *
     * @throws InvalidSettings the store ignores it
     */
    public void require() {
        if (isTried) {
            return;
        }
        try {
            Optional<Register> held =
                    registers.read(REGISTER).toCompletableFuture().join();
            boolean first = registers
                    .replace(REGISTER, held, Claimant.newId(time))
                    .toCompletableFuture()
                    .join();
            boolean second = registers
                    .replace(REGISTER, held, Claimant.newId(time))
                    .toCompletableFuture()
                    .join();
            if (first && second) {
                throw new InvalidSettings("Cannot sweep " + store.location()
                        + ": it ignores the conditions of requests (If-Match), so nobody can tell who else sweeps it."
                        + " Use a store that heeds them.");
            }
            isTried = true;
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }
}
