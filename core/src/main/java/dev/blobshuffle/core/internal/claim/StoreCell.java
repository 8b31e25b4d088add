package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreRefused;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoredBlob;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The claim register of a store. Owned by one thread. */
public final class StoreCell implements ClaimCell {
    /** Holds no blob, but claims that versions without registers left. */
    public static final long GENERATION = 0;

    private static final int ATTEMPTS = 3;

    private final BlobStore store;
    private final Registers registers;
    private final String name;

    /**
     * The register of claims.
     *
     * @param store stays open
     */
    public StoreCell(BlobStore store, Registers registers) {
        this(store, registers, ClaimText.REGISTER);
    }

    /**
     * A register of a store.
     *
     * @param store stays open
     * @param name of the register
     */
    public StoreCell(BlobStore store, Registers registers, String name) {
        this.store = store;
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

    /** The blobs of generation 0. */
    public List<BlobId> earlierClaims() {
        return await(() -> store.list(BlobId.NO_OWNER, GENERATION)).stream()
                .map(StoredBlob::id)
                .toList();
    }

    /** Deletes some of them. */
    public void delete(List<BlobId> claims) {
        Void ignored = await(() -> store.delete(claims));
    }

    private static <T> T await(Supplier<CompletionStage<T>> request) {
        for (int attempt = 1; ; attempt++) {
            try {
                return join(request.get());
            } catch (StoreUnavailable e) {
                if (e instanceof StoreRefused || attempt == ATTEMPTS) {
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
