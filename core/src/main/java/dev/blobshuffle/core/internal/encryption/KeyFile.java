package dev.blobshuffle.core.internal.encryption;

import dev.blobshuffle.core.encryption.KeyProvider;
import dev.blobshuffle.core.encryption.KeyProviderFactory;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** Plain keys in a file that only its owner can read ({@link KeyEntries}). Thread-safe. */
public final class KeyFile implements KeyProvider {
    private final KeyEntries entries;

    /**
     * Reads a file. Blocks.
     *
     * @throws InvalidSettingsException fatal: the file cannot be read, others can read it, or it is
     *     malformed
     */
    public KeyFile(Path file) {
        entries = new KeyEntries(file, KeyEntries.Form.PLAIN);
    }

    /** Opens {@code file:///etc/blobshuffle/keys}. */
    static final class Factory implements KeyProviderFactory {
        @Override
        public String scheme() {
            return "file";
        }

        @Override
        public KeyProvider open(URI uri) {
            try {
                return new KeyFile(Path.of(uri));
            } catch (IllegalArgumentException e) {
                throw new InvalidSettingsException(
                        "Cannot open the encryption keys: " + uri
                                + " names no file. Give an absolute path with three slashes:"
                                + " file:///etc/blobshuffle/keys.",
                        e);
            }
        }
    }

    @Override
    public Optional<byte[]> key(String id) {
        return entries.find(id);
    }

    @Override
    public Set<String> withdrawn(Set<String> ids) {
        return entries.withdrawn(ids);
    }

    @Override
    public String toString() {
        return entries.toString();
    }
}
