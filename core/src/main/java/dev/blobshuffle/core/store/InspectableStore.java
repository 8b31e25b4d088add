package dev.blobshuffle.core.store;

/**
 * A store that can report its configuration to {@code blobshuffle doctor}. The doctor itself tests
 * puts, gets, listings and deletes through {@link BlobStore}. Stores whose service has relevant
 * settings implement this; others need not. Thread-safe.
 */
public interface InspectableStore extends BlobStore {
    /**
     * Asks the service for its clock, the bucket's region, and the rules that expire blobs or keep
     * deleted ones ({@link StoreFinding#expiry}, {@link StoreFinding#neverExpires},
     * {@link StoreFinding#keepsDeleted}, {@link StoreFinding#keepsVersions}). It also tries a
     * conditional put, which the store's marker needs, below the store's prefix, and removes what
     * it wrote. Blocks for up to a minute.
     *
     * <p>An unanswered question, for lack of a permission or of support by the service, is a
     * finding ({@link StoreFinding#unknown}), not a failure.
     *
     * @throws dev.blobshuffle.core.failure.StoreUnavailable recoverable: the service does not answer at all
     */
    StoreInspection inspect();
}
