package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.time.Time;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The registers of a simulated store, which never fail: claims have a simulation of their own.
 * Guarded by the simulation's baton.
 */
final class SimulatedRegisters implements Registers {
    private final Map<String, Register> held = new HashMap<>();
    private final Time time;
    private long writes;

    /** @param time the store's clock */
    SimulatedRegisters(Time time) {
        this.time = time;
    }

    @Override
    public CompletionStage<Optional<Register>> read(String name) {
        return CompletableFuture.completedFuture(Optional.ofNullable(held.get(name)));
    }

    @Override
    public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
        boolean isSame = Optional.ofNullable(held.get(name)).equals(expected);
        if (isSame) {
            held.put(name, new Register(Long.toString(++writes), text, Instant.ofEpochMilli(time.wallMillis())));
        }
        return CompletableFuture.completedFuture(isSame);
    }
}
