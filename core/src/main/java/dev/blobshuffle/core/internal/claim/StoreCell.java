package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A register of a store, for claims. Owned by one thread. */
public final class StoreCell implements ClaimCell {
    private static final int ATTEMPTS = 3;

    private final Registers registers;
    private final String name;

    /**
     * A register of a store.
     *
     * @param registers the registers of the store, which stays open
     * @param name the name of the register
     */
    public StoreCell(Registers registers, String name) {
        this.registers = registers;
        this.name = name;
    }

    @Override
    public Optional<Register> read() {
        return await(() -> registers.read(name));
    }

    @Override
    public boolean replace(Optional<Register> expected, String text) {
        return join(registers.replace(name, expected, text));
    }

    private static <T> T await(Supplier<CompletionStage<T>> request) {
        for (int attempt = 1; ; attempt++) {
            try {
                return join(request.get());
            } catch (StoreUnavailableException e) {
                if (e instanceof StoreRefusedException || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof BlobShuffleException failure ? failure : e;
        }
    }
}
