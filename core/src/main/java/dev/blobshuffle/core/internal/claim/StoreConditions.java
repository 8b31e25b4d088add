package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.time.Time;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a store honours conditional writes, and reads its clock at the same time. If a store
 * ignores conditions, two sweepers may both believe that they are alone. Owned by one thread.
 */
public final class StoreConditions {
    private static final String REGISTER = "conditions";

    private final BlobStore store;
    private final Registers registers;
    private final Time time;
    private @Nullable StoreClock clock;

    /**
     * A check that has not run.
     *
     * @param store stays open
     * @throws InvalidSettingsException the store has no registers
     */
    public StoreConditions(BlobStore store, Time time) {
        this.store = store;
        this.time = time;
        registers = store.registers()
                .orElseThrow(() -> new InvalidSettingsException("Cannot sweep " + store.location()
                        + ": it has no compare-and-set, so two sweeps could run at once. Use another store."));
    }

    /** The store's registers. */
    public Registers registers() {
        return registers;
    }

    /**
     * On the first call, tries a conditional write on a separate register. The store's time of that
     * write gives its clock.
     *
     * @return the store's clock, read by the first call
     * @throws InvalidSettingsException the store ignores the condition
     */
    public StoreClock require() {
        StoreClock known = clock;
        if (known == null) {
            Instant before = StoreClock.own(time);
            known = StoreClock.of(store.location(), time, tryCondition(), before);
            clock = known;
        }
        return known;
    }

    private Instant tryCondition() {
        try {
            Optional<Register> held =
                    registers.read(REGISTER).toCompletableFuture().join();
            boolean first = registers
                    .replace(REGISTER, held, newText())
                    .toCompletableFuture()
                    .join();
            boolean second = registers
                    .replace(REGISTER, held, newText())
                    .toCompletableFuture()
                    .join();
            if (first && second) {
                throw new InvalidSettingsException("Cannot sweep " + store.location()
                        + ": it ignores the conditions of requests (If-Match), so two sweeps could run at once."
                        + " Use a store that supports them.");
            }
            return registers
                    .read(REGISTER)
                    .toCompletableFuture()
                    .join()
                    .orElseThrow(() -> new StoreUnavailableException("Cannot read the clock of " + store.location()
                            + ": its register " + REGISTER + " is gone. Check what deletes from the store."))
                    .stored();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    /** A new text for each write, so that each write changes the register. */
    private String newText() {
        return String.format(Locale.ROOT, "%016x%016x", time.randomLong(), time.randomLong());
    }
}
