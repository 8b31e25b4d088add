package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.time.SystemTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/** A store in memory that has registers. Thread-safe. */
public final class RegisteredStore extends ForwardingBlobStore {
    private final Map<String, Register> registers = new HashMap<>();
    private final LongSupplier wallClock;
    private int writes;

    /** An empty store with the machine's clock. */
    public RegisteredStore() {
        this(SystemTime.wallClock());
    }

    /** An empty store with a clock. */
    public RegisteredStore(LongSupplier wallClock) {
        super(new MemoryBlobStore("registered", 1L << 20, wallClock));
        this.wallClock = wallClock;
    }

    @Override
    public Optional<Registers> registers() {
        return Optional.of(new Registers() {
            @Override
            public CompletionStage<Optional<Register>> read(String name) {
                return CompletableFuture.completedFuture(Optional.ofNullable(held(name)));
            }

            @Override
            public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
                return CompletableFuture.completedFuture(replaced(name, expected, text));
            }
        });
    }

    private synchronized Register held(String name) {
        return registers.get(name);
    }

    private synchronized boolean replaced(String name, Optional<Register> expected, String text) {
        boolean isSame = Optional.ofNullable(registers.get(name)).equals(expected);
        if (isSame) {
            Instant now = Instant.ofEpochMilli(wallClock.getAsLong());
            registers.put(name, new Register(Integer.toString(++writes), text, now));
        }
        return isSame;
    }
}
