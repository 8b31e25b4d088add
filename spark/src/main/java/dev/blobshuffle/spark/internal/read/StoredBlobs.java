package dev.blobshuffle.spark.internal.read;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.container.CheckedRead;
import dev.blobshuffle.core.internal.container.FooterCache;
import dev.blobshuffle.core.internal.container.Footers;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * The stored blobs of an application, read by ranges. It verifies every byte before it returns it,
 * and remembers indices up to 32 MiB. Each read blocks, and ends at its time limit. Thread-safe.
 */
final class StoredBlobs {
    private static final long MOST_INDEX_BYTES = 32 << 20;

    /** Without windows, the most bytes that one request for parts of a long segment asks for. */
    private static final int STEP = 8 << 20;

    private final BlobStore store;
    private final Duration timeout;
    private final Executor checks;
    private final Footers<BlobIndex> indices;

    /**
     * Takes the bytes of a segment, part by part. They are verified when the last part was taken.
     */
    @FunctionalInterface
    interface Sink {
        void take(ByteBuffer part) throws IOException;
    }

    /**
     * No index yet.
     *
     * @param checks decodes footers and verifies checksums, while a reader waits
     */
    StoredBlobs(BlobStore store, Duration timeout, Executor checks) {
        this.store = store;
        this.timeout = timeout;
        this.checks = checks;
        FooterCache<BlobId, BlobIndex> cache = new FooterCache<>(MOST_INDEX_BYTES, BlobIndex::weight);
        indices = new Footers<>(store, BlobIndex::new, cache, checks);
    }

    /** Opens a blob; reads its footer if it is not known. */
    OpenedBlob open(BlobId blob, long length, Windows windows) {
        BlobIndex index =
                await(blob, indices.open(blob, length, tail -> windows.range(length, tail.offset(), tail.length())));
        return new OpenedBlob(blob, length, windows, index);
    }

    /**
     * Reads a range of a blob that is in one window. Wrong bytes of a cache are read again from the
     * store.
     *
     * @param taking takes the bytes and verifies them; runs again for other bytes if it throws
     *     {@link BlobCorruptException}
     */
    void read(OpenedBlob blob, long offset, int length, Consumer<ByteBuffer> taking) {
        BlobRange range = blob.range(offset, length);
        boolean ignored = await(blob.id(), CheckedRead.of(store, blob.id(), range, checks, bytes -> {
            taking.accept(bytes.buffer());
            bytes.close();
            return true;
        }));
    }

    /**
     * Reads a segment of any length, and passes it on.
     *
     * @throws BlobCorruptException the bytes that the sink took are wrong, or the blob is too short
     */
    void stream(OpenedBlob blob, int segment, BlobRange.Source source, Sink sink) throws IOException {
        BlobIndex index = blob.index();
        CRC32C checksum = new CRC32C();
        for (long at = index.offset(segment); at < index.end(segment); ) {
            long end = Math.min(
                    index.end(segment),
                    blob.windows().bytes() == 0 ? at + STEP : blob.windows().end(at));
            BlobRange part = blob.range(at, end - at);
            BlobRange range = source == BlobRange.Source.STORE ? part.afresh() : part;
            try (BlobBytes bytes = await(blob.id(), CheckedRead.of(store, blob.id(), range, checks, read -> read))) {
                checksum.update(bytes.buffer().duplicate());
                sink.take(bytes.buffer());
            }
            at = end;
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

    private StoreUnavailableException unavailable(BlobId blob, String reason, Exception cause) {
        return new StoreUnavailableException(
                "Cannot read shuffle blob " + blob + " in " + store.location() + ": " + reason
                        + ". Check the store; Spark runs the maps of the blob again.",
                cause);
    }
}
