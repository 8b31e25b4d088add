package dev.blobshuffle.cli.inspect;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionException;

/** Reads a whole blob from a store by its id. Stateless. */
final class StoredBlob {
    private StoredBlob() {}

    /**
     * The bytes of a blob.
     *
     * @throws BlobShuffleException the id is malformed, the blob does not exist, or the store fails
     */
    static ByteBuffer read(String text, String storeUri) throws InterruptedException {
        BlobId id = id(text);
        try (SystemTime time = new SystemTime();
                BlobStore store = BlobStores.openUnchecked(
                        storeUri, StoreContext.unmetered(time).existing())) {
            StopSignal waiting = new StopSignal(time);
            long length = waiting.await(store.length(id));
            if (length < 1 || length > Integer.MAX_VALUE - 8) {
                throw new InvalidSettingsException(
                        "Cannot inspect blob " + id + ": it has " + length + " bytes. The most is 2 GiB.");
            }
            try (BlobBytes bytes = waiting.await(store.get(id, BlobRange.of(0, length)))) {
                ByteBuffer copy = ByteBuffer.allocate((int) length);
                copy.put(bytes.buffer().duplicate());
                return copy.flip();
            }
        } catch (CompletionException e) {
            if (e.getCause() instanceof BlobShuffleException failure) {
                throw failure;
            }
            throw e;
        }
    }

    private static BlobId id(String text) {
        return BlobId.parse(text)
                .orElseThrow(() -> new InvalidSettingsException("Cannot inspect blob '" + text
                        + "': that is not an id. Give one as logs and tail show it, such as"
                        + " 00c0de-29000000-0123456789-7."));
    }
}
