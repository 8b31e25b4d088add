package dev.blobshuffle.bench.cloud;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoreInspection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A store whose writes pass a gate. Thread-safe. */
final class GatedBlobStore extends ForwardingBlobStore {
    private final WriteGate gate;

    GatedBlobStore(BlobStore store, WriteGate gate) {
        super(store);
        this.gate = gate;
    }

    private <T> CompletionStage<T> gated(Supplier<CompletionStage<T>> write) {
        try {
            gate.enter();
        } catch (ClosedException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletionStage<T> writing;
        try {
            writing = write.get();
        } catch (RuntimeException | Error e) { // No stage would end, and the gate would stay busy.
            gate.leave();
            throw e;
        }
        return writing.whenComplete((value, failure) -> gate.leave());
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        return gated(() -> store().put(id, content));
    }

    @Override
    public Optional<Registers> registers() {
        return store().registers().map(registers -> new Registers() {
            @Override
            public CompletionStage<Optional<Register>> read(String name) {
                return registers.read(name);
            }

            @Override
            public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
                return gated(() -> registers.replace(name, expected, text));
            }
        });
    }

    /** Passes the gate, because an inspection tries a conditional write. */
    @Override
    public Optional<StoreInspection> inspect() {
        gate.enter();
        try {
            return store().inspect();
        } finally {
            gate.leave();
        }
    }
}
