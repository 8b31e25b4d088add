package dev.blobshuffle.core.cache;

import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A read that goes one way, and another if that fails. When it is given up, so is the way that it is on, and no other one is taken: stages that only follow from one
 * another would lose the word. Thread-safe; ways follow one another.
 */
class RelayedRead extends CompletableFuture<BlobBytes> implements Abandonable {
    /** Guarded by this, as what follows. */
    private @Nullable CompletionStage<BlobBytes> current;

    private boolean isUnwanted;

    /**
     * Takes a way, unless the read has been given up.
     *
     * @param way may throw, which counts as its failure
     * @param next hears how it ended, and ends the read or takes another way; what it throws ends the read
     */
    final void take(
            Supplier<CompletionStage<BlobBytes>> way, BiConsumer<@Nullable BlobBytes, @Nullable Throwable> next) {
        if (isUnwanted()) {
            boolean ignored = cancel(false);
            return;
        }
        CompletionStage<BlobBytes> stage = start(way);
        synchronized (this) {
            current = stage;
        }
        var ignored = stage.whenComplete((bytes, failure) -> {
            try {
                next.accept(bytes, failure);
            } catch (RuntimeException | Error e) {
                end(null, e);
            }
        });
        if (isUnwanted()) {
            Abandonable.abandon(stage); // Given up while it was being sent.
        }
    }

    private static CompletionStage<BlobBytes> start(Supplier<CompletionStage<BlobBytes>> way) {
        try {
            return way.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private synchronized boolean isUnwanted() {
        return isUnwanted;
    }

    /** Hands the bytes over, or gives them back if their reader has gone. */
    final void end(@Nullable BlobBytes bytes, @Nullable Throwable failure) {
        if (bytes == null) {
            completeExceptionally(failure);
        } else if (!complete(bytes)) {
            bytes.close(); // Cancelled by its caller.
        }
    }

    @Override
    public void abandon() {
        CompletionStage<BlobBytes> running;
        synchronized (this) {
            isUnwanted = true;
            running = current;
        }
        if (running != null) {
            Abandonable.abandon(running);
        }
    }
}
