package dev.blobshuffle.core.cache;

import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store with something of it near at hand. Beside the answers of every store it tells what it could answer without asking the store: a server of cached bytes
 * wants to know, and a member of a zone looks here before it asks another member. Thread-safe.
 */
public interface CachedBlobStore extends BlobStore {
    /** The bytes of a range if they are in memory. The caller closes them. */
    Optional<BlobBytes> held(BlobId id, BlobRange range);

    /** A file with the bytes of a range if they are on a local disk; not checked. The caller closes it. */
    Optional<CachedFile> file(BlobId id, BlobRange range);

    /**
     * Reads a range as {@link #get} does, but what is not near at hand comes from another place than the store, and is kept in memory. Whoever asks this store at the same time
     * does not wait for that place: it may be waiting for this one.
     *
     * @param place holds the same blobs; asked once for a part, however many ask here at a time
     */
    CompletionStage<BlobBytes> getBy(BlobStore place, BlobId id, BlobRange range);

    /** The bytes of a range if they are near at hand, in memory or on disk; empty, at once, if the store would have to be asked. */
    Optional<CompletionStage<BlobBytes>> cached(BlobId id, BlobRange range);
}
