package dev.blobshuffle.core.store;

/**
 * Opens the stores of one URI scheme. {@link java.util.ServiceLoader} finds it in the artifact of
 * the store. Stateless.
 */
public interface BlobStoreProvider {
    /** The scheme, lower case, for example {@code s3}. */
    String scheme();

    /**
     * Opens a plain store. It has no retries, timeouts or limits of its own as far as its client
     * allows, because decorators add them. May block.
     *
     * @param context what the store works with; the caller keeps ownership
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the URI cannot name a store
     * @throws dev.blobshuffle.core.failure.StoreUnavailable recoverable: the store cannot be
     *     reached
     */
    BlobStore open(StoreUri uri, StoreContext context);
}
