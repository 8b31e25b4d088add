package dev.blobshuffle.bench.cloud;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStoreProvider;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreUri;

/**
 * {@code trial:///NAME}: the store of the check that runs in this process. Public for the service
 * loader. Stateless.
 */
public final class TrialStoreProvider implements BlobStoreProvider {
    /** For the service loader. */
    public TrialStoreProvider() {}

    @Override
    public String scheme() {
        return TrialStore.SCHEME;
    }

    @Override
    public BlobStore open(StoreUri uri, StoreContext context) {
        String name = uri.path().replace("/", "");
        return TrialStore.named(name)
                .orElseThrow(() ->
                        new InvalidSettingsException("Cannot open store trial://: no check of that name runs in this"
                                + " process. Name the bucket itself, for example s3://bucket/prefix."))
                .open(context);
    }
}
