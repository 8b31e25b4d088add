package dev.blobshuffle.core.store;

import dev.blobshuffle.core.time.Time;

/** Opens the stores of one URI scheme. Found with {@link java.util.ServiceLoader}, so that a store comes with its artifact. Stateless. */
public interface BlobStoreProvider {
    /** The scheme, lower case, for example {@code s3}. */
    String scheme();

    /**
     * Opens a store. May block.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the URI cannot name a store
     * @throws dev.blobshuffle.core.failure.StoreUnavailable recoverable: the store cannot be reached
     */
    BlobStore open(StoreUri uri, Time time);
}
