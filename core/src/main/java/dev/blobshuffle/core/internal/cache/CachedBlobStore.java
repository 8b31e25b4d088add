package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store with a cache before it. Besides the operations of every store, it shows which ranges it
 * can answer from the cache. Servers of cached bytes need this, and a member of a zone looks here
 * before it asks another member. Thread-safe.
 */
public interface CachedBlobStore extends BlobStore {
    /** The bytes of a range if they are in memory. The caller closes them. */
    Optional<BlobBytes> held(BlobId id, BlobRange range);

    /**
     * A file with the bytes of a range, if they are on a local disk. The checksums are not
     * verified. The caller closes the file.
     */
    Optional<CachedFile> file(BlobId id, BlobRange range);

    /**
     * Reads a range as {@link #get} does, but loads uncached bytes from another place instead of
     * the store, and keeps them in memory. Concurrent calls of {@link #get} do not wait for that
     * place, because that place may be waiting for this store.
     *
     * @param place a store of the same blobs; asked once for a part, even if several callers ask
     *     for it concurrently
     */
    CompletionStage<BlobBytes> getBy(BlobStore place, BlobId id, BlobRange range);

    /**
     * The bytes of a range, if they are in memory or on disk. Empty, without a request, if only the
     * store has them.
     */
    Optional<CompletionStage<BlobBytes>> cached(BlobId id, BlobRange range);
}
