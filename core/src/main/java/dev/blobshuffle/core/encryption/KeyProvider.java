package dev.blobshuffle.core.encryption;

import java.util.Optional;

/**
 * A source of encryption keys by id: a file, a key management service. Thread-safe. A key never
 * changes under its id; a new key gets a new id.
 */
public interface KeyProvider {
    /**
     * A copy of the key with an id: 32 random bytes. May block.
     *
     * @return empty if the source does not have the key
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the source cannot be used
     */
    Optional<byte[]> key(String id);

    /** Names the source in failures, without secrets. */
    @Override
    String toString();
}
