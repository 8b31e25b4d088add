package dev.blobshuffle.core.store;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.List;

/**
 * Opens the stores of one URI scheme. {@link java.util.ServiceLoader} finds it in the artifact of
 * the store. Stateless.
 */
public interface BlobStoreProvider {
    /** The scheme, lower case, for example {@code s3}. */
    String scheme();

    /**
     * The parameters of the store's URI, in the order of the settings reference. {@link #open}
     * refuses all others ({@link StoreUri#requireKnown}).
     */
    default List<StoreParameter> parameters() {
        return List.of();
    }

    /**
     * Opens a plain store. As far as its client allows, it has no retries, timeouts or limits of
     * its own, because decorators add them. May block.
     *
     * @param context what the store works with; the caller keeps ownership
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the URI cannot name a
     *     store
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the store cannot
     *     be reached
     */
    BlobStore open(StoreUri uri, StoreContext context);

    /**
     * Opens the URI's location for blobs under names. Contacts no service.
     *
     * @throws InvalidSettingsException fatal: the URI names no such location, or this kind of store
     *     has no named blobs
     */
    default NamedBlobs openNamed(StoreUri uri, StoreContext context) {
        throw new InvalidSettingsException("Cannot keep blobs under names in " + scheme()
                + "://: this kind of store cannot do it. Use s3:// or file://.");
    }
}
