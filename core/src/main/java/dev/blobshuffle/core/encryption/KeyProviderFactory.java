package dev.blobshuffle.core.encryption;

import java.net.URI;

/**
 * Opens the key sources of one URI scheme. {@link java.util.ServiceLoader} finds it, so an artifact
 * can bring a source. Stateless.
 */
public interface KeyProviderFactory {
    /** The scheme, lower case, for example {@code file}. */
    String scheme();

    /**
     * Opens a source. May block.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the URI names no usable
     *     source
     */
    KeyProvider open(URI uri);
}
