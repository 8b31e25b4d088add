package dev.blobshuffle.core.internal.container;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A read with a check of its bytes. If they are wrong, it reads them once more, from the store
 * only, because a cache or a peer may have sent them. Thread-safe.
 */
public final class CheckedRead<T> {
    private final BlobStore store;
    private final BlobId id;
    private final Executor executor;
    private final Function<BlobBytes, T> check;
    private final Answer answer = new Answer();

    private CheckedRead(BlobStore store, BlobId id, Executor executor, Function<BlobBytes, T> check) {
        this.store = store;
        this.id = id;
        this.executor = executor;
        this.check = check;
    }

    /** Gives up the read that runs. Later bytes are checked, and returned by their owner. */
    private final class Answer extends CompletableFuture<T> implements Abandonable {
        private volatile @Nullable CompletionStage<BlobBytes> running;

        @Override
        public void abandon() {
            CompletionStage<BlobBytes> present = running;
            if (present != null) {
                Abandonable.abandon(present);
            }
        }
    }

    /**
     * Reads a range and checks its bytes.
     *
     * @param executor runs the check
     * @param check owns the bytes if it returns; throws {@link BlobCorruptException} if they are
     *     wrong
     */
    public static <T> CompletionStage<T> of(
            BlobStore store, BlobId id, BlobRange range, Executor executor, Function<BlobBytes, T> check) {
        CheckedRead<T> read = new CheckedRead<>(store, id, executor, check);
        read.start(range);
        return read.answer;
    }

    private void start(BlobRange range) {
        CompletionStage<BlobBytes> sent = store.get(id, range);
        answer.running = sent;
        var ignored = sent.whenComplete((bytes, failure) -> came(range, bytes, failure));
    }

    private void came(BlobRange range, @Nullable BlobBytes bytes, @Nullable Throwable failure) {
        if (bytes == null) {
            fail(failure);
            return;
        }
        try {
            executor.execute(() -> check(range, bytes));
        } catch (RejectedExecutionException e) {
            bytes.close();
            fail(new ClosedException(
                    "Cannot read blob " + id + ": its reader is closed. Close it after its reads.", e));
        }
    }

    private void check(BlobRange range, BlobBytes bytes) {
        T checked;
        try {
            if (bytes.buffer().remaining() != range.length()) {
                throw new BlobCorruptException(
                        "Cannot read blob " + id + ": " + bytes.buffer().remaining()
                                + " bytes came for [" + range.offset() + ", " + range.end()
                                + "). Check the store and the members of the zone.");
            }
            checked = check.apply(bytes);
        } catch (BlobCorruptException e) {
            bytes.close();
            if (range.isAfresh()) {
                fail(e);
            } else {
                start(range.afresh());
            }
            return;
        } catch (RuntimeException | Error e) {
            bytes.close();
            fail(e);
            return;
        }
        boolean ignored = answer.complete(checked);
    }

    private void fail(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        boolean ignored = answer.completeExceptionally(
                cause == null ? new IllegalStateException("Cannot read blob " + id + ": no bytes came.") : cause);
    }
}
