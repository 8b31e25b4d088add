package dev.blobshuffle.core.store;

/** Opens the stores of one URI scheme. Found with {@link java.util.ServiceLoader}, so that a store comes with its artifact. Stateless. */
public interface BlobStoreProvider {
    /** The scheme, lower case, for example {@code s3}. */
    String scheme();

    /**
     * Opens a store: plain, without retries, timeouts or limits of its own where its client lets it, because those are decorators. May block.
     *
     * @param context what the store works with; the caller goes on owning it
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the URI cannot name a store
     * @throws dev.blobshuffle.core.failure.StoreUnavailable recoverable: the store cannot be reached
     */
    BlobStore open(StoreUri uri, StoreContext context);
}
