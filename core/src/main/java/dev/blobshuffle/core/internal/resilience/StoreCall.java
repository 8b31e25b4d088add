package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call to a store, in a form that decorators can delay and repeat. Immutable.
 *
 * @param what completes "Cannot …"
 * @param bytes number of bytes written or read; 0 if that has no meaning
 * @param action sends one request
 * @param unwanted releases an answer that no caller takes
 * @param content the references to hold while a request may still be sent
 */
record StoreCall<T>(
        Kind kind, String what, long bytes, Supplier<CompletionStage<T>> action, Consumer<T> unwanted, Hold content) {
    /**
     * References to memory that must stay valid while requests may be sent: the content of a put.
     */
    interface Hold {
        /** No memory. */
        Hold NOTHING = new Hold() {
            @Override
            public void retain() {}

            @Override
            public void release() {}
        };

        /** Adds a reference. Legal only while another reference is held. */
        void retain();

        /** Releases a reference. */
        void release();
    }

    static StoreCall<Void> put(BlobStore store, BlobId id, BlobContent content) {
        Hold hold = new Hold() {
            @Override
            public void retain() {
                content.retain();
            }

            @Override
            public void release() {
                content.release();
            }
        };
        return new StoreCall<>(
                Kind.PUT, "store blob " + id, content.length(), () -> store.put(id, content), nothing -> {}, hold);
    }

    static StoreCall<BlobBytes> get(BlobStore store, BlobId id, BlobRange range) {
        return new StoreCall<>(
                Kind.GET,
                "read blob " + id,
                range.length(),
                () -> store.get(id, range),
                BlobBytes::close,
                Hold.NOTHING);
    }

    static StoreCall<Void> delete(BlobStore store, List<BlobId> ids) {
        return other("delete " + ids.size() + " blobs", () -> store.delete(ids));
    }

    static <T> StoreCall<T> other(String what, Supplier<CompletionStage<T>> action) {
        return new StoreCall<>(Kind.OTHER, what, 0, action, answer -> {}, Hold.NOTHING);
    }

    /**
     * Sends one request. If the store breaks its contract and throws, the stage fails, so the
     * caller does not wait for ever.
     */
    CompletionStage<T> start() {
        try {
            return action.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Releases the resources of an answer. Failures and the answers of puts hold none. */
    void discard(@Nullable T answer) {
        if (answer != null) {
            unwanted.accept(answer);
        }
    }

    /**
     * Completes the result with an answer. If the result has already ended, releases the answer.
     */
    void complete(CompletableFuture<T> result, T answer) {
        if (!result.complete(answer)) {
            discard(answer);
        }
    }
}
