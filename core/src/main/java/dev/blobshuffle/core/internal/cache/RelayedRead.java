package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A read that tries one source, and another if the first fails. Abandoning it also abandons the
 * current attempt, and no further source is tried; dependent stages would not do that. Thread-safe;
 * attempts follow one another.
 */
class RelayedRead extends CompletableFuture<BlobBytes> implements Abandonable {
    /** Guarded by this, as are the fields below. */
    private @Nullable CompletionStage<BlobBytes> current;

    private boolean isUnwanted;

    /**
     * Tries a source, unless the read has been abandoned.
     *
     * @param way starts the attempt; an exception counts as its failure
     * @param next receives the outcome, and ends the read or tries another source; an exception
     *     that it throws ends the read
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
            Abandonable.abandon(stage); // Abandoned while it was being sent.
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

    /** Passes the bytes to the reader, or releases them if the read was abandoned. */
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
