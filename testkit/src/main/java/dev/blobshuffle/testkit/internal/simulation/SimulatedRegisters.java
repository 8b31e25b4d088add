package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/** The registers of a simulated store, which never fail. Guarded by the simulation's baton. */
final class SimulatedRegisters implements Registers {
    private final Map<String, Register> held = new HashMap<>();
    private final LongSupplier clock;
    private long writes;

    /** @param clock the store's, milliseconds since the Unix epoch */
    SimulatedRegisters(LongSupplier clock) {
        this.clock = clock;
    }

    @Override
    public CompletionStage<Optional<Register>> read(String name) {
        return CompletableFuture.completedFuture(Optional.ofNullable(held.get(name)));
    }

    @Override
    public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
        boolean isSame = Optional.ofNullable(held.get(name)).equals(expected);
        if (isSame) {
            held.put(name, new Register(Long.toString(++writes), text, Instant.ofEpochMilli(clock.getAsLong())));
        }
        return CompletableFuture.completedFuture(isSame);
    }
}
