package dev.blobshuffle.spark.internal.read;

import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.internal.container.FooterCache;
import dev.blobshuffle.core.internal.format.ContainerReader;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.CRC32C;

/**
 * The stored blobs of an application, read by ranges. It verifies every byte before it returns it,
 * and remembers indices up to 32 MiB. Each read blocks, and ends at its time limit. Thread-safe.
 */
final class StoredBlobs {
    private static final long MOST_INDEX_BYTES = 32 << 20;

    /** The most bytes that one request for parts of a long segment asks for. */
    private static final int STEP = 8 << 20;

    private final BlobStore store;
    private final Duration timeout;

    private final FooterCache<BlobId, BlobIndex> indices = new FooterCache<>(MOST_INDEX_BYTES, BlobIndex::weight);

    /**
     * Takes the bytes of a segment, part by part. They are verified when the last part was taken.
     */
    @FunctionalInterface
    interface Sink {
        void take(ByteBuffer part) throws IOException;
    }

    StoredBlobs(BlobStore store, Duration timeout) {
        this.store = store;
        this.timeout = timeout;
    }

    /** The index of a blob; reads the footer if it is not known. */
    BlobIndex index(BlobId blob, long length) {
        Optional<BlobIndex> known = indices.get(blob);
        if (known.isPresent()) {
            return known.get();
        }
        ContainerReader reader = ContainerReader.open(blob, (offset, count) -> copy(blob, offset, count), length);
        BlobIndex index = new BlobIndex(reader.container());
        indices.put(blob, index);
        return index;
    }

    /** Reads a range of a blob into an array. */
    ByteBuffer copy(BlobId blob, long offset, int length) {
        try (BlobBytes bytes = await(blob, store.get(blob, BlobRange.of(offset, length)))) {
            ByteBuffer copy = ByteBuffer.allocate(length);
            return copy.put(bytes.buffer()).flip();
        }
    }

    /** Reads a segment of any length, and passes it on. */
    void stream(BlobId blob, BlobIndex index, int segment, Sink sink) throws IOException {
        CRC32C checksum = new CRC32C();
        for (long at = index.offset(segment); at < index.end(segment); at += STEP) {
            int step = (int) Math.min(STEP, index.end(segment) - at);
            try (BlobBytes bytes = await(blob, store.get(blob, BlobRange.of(at, step)))) {
                checksum.update(bytes.buffer().duplicate());
                sink.take(bytes.buffer());
            }
        }
        index.requireChecksum(segment, (int) checksum.getValue());
    }

    private <T> T await(BlobId blob, CompletionStage<T> stage) {
        CompletableFuture<T> answer = stage.toCompletableFuture();
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : unavailable(blob, "it failed", e);
        } catch (TimeoutException e) {
            giveUp(stage);
            throw unavailable(blob, "no answer for " + timeout, e);
        } catch (InterruptedException e) {
            giveUp(stage);
            Thread.currentThread().interrupt();
            throw unavailable(blob, "the thread was interrupted", e);
        }
    }

    private static void giveUp(CompletionStage<?> stage) {
        Abandonable.abandon(stage);
        stage.whenComplete((late, failure) -> {
            if (late instanceof BlobBytes bytes) {
                bytes.close();
            }
        });
    }

    private StoreUnavailable unavailable(BlobId blob, String reason, Exception cause) {
        return new StoreUnavailable(
                "Cannot read shuffle blob " + blob + " in " + store.location() + ": " + reason
                        + ". Check the store; Spark runs the maps of the blob again.",
                cause);
    }
}
