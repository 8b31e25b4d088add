package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import java.util.Map;

/**
 * The store of a shuffle, the same in every instance of the application.
 *
 * @param uri the setting {@code blobshuffle.store}: {@code s3://bucket/prefix?region=…},
 *     {@code file:///dir}, {@code memory://name} in tests
 */
public record StoreConfig(String uri) {
    /**
     * Checks the form of the URI.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the URI is malformed
     */
    public StoreConfig {
        BlobStores.checkForm(uri);
    }

    Map<String, Object> settings() {
        return Map.of(StoreSettings.STORE.name(), uri);
    }

    /** The URI without its parameters. */
    @Override
    public String toString() {
        return uri.replaceAll("\\?.*", "?…");
    }
}
