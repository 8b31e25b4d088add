package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store of an owner whose puts end when and how the test decides. Owned by the test's thread. */
final class PendingStore extends ForwardingBlobStore {
    final List<Put> puts = new ArrayList<>();
    CompletableFuture<Integer> owner = CompletableFuture.completedFuture(TestParts.OWNER);

    record Put(BlobId id, byte[] bytes, BlobContent content, CompletableFuture<Void> end) {
        /** Ends the put, if it has not ended. */
        void succeed() {
            if (!end.isDone()) {
                content.release();
                end.complete(null);
            }
        }

        void fail(Throwable failure) {
            content.release();
            end.completeExceptionally(failure);
        }
    }

    PendingStore() {
        super(new MemoryBlobStore("unused", 1));
    }

    @Override
    public CompletionStage<Integer> owner() {
        return owner;
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        content.retain();
        Put put = new Put(id, TestParts.bytes(content.buffers()), content, new CompletableFuture<>());
        puts.add(put);
        return put.end();
    }

    @Override
    public int fingerprint() {
        return TestParts.STORE;
    }
}
