package dev.blobshuffle.core.store;

/**
 * A store that can tell how it is set up, for {@code blobshuffle doctor}, which itself puts, gets, lists and deletes by the contract of {@link BlobStore}. A provider whose service has
 * settings that matter to us lets its store implement this; the others need not. Thread-safe.
 */
public interface InspectableStore extends BlobStore {
    /**
     * Asks the service what only it knows: its clock, in which region the bucket is, what expires or keeps deleted blobs ({@link StoreFinding#expiry},
     * {@link StoreFinding#neverExpires}, {@link StoreFinding#keepsDeleted}, {@link StoreFinding#keepsVersions}), and tries a conditional put, which the store's marker needs, below its own
     * prefix and without leaving anything there. Blocks, for up to a minute.
     *
     * <p>What cannot be asked, for want of a permission or because the service does not know it, is a finding ({@link StoreFinding#unknown}) and not a failure.
     *
     * @throws dev.blobshuffle.core.failure.StoreUnavailable recoverable: the service does not answer at all
     */
    StoreInspection inspect();
}
