package dev.blobshuffle.core.encryption;

import java.util.Optional;
import java.util.Set;

/**
 * A source of encryption keys by id: a file, a key management service. Thread-safe. A key never
 * changes under its id; a new key gets a new id.
 */
public interface KeyProvider {
    /**
     * A copy of the key with an id: 32 random bytes. May block.
     *
     * @return empty if the source does not have the key
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException the source cannot be used, or
     *     refuses the key. A reader asks again until {@code blobshuffle.encryption.key.timeout.ms}
     *     is over; a writer fails
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException the source does not answer
     *     now; handled in the same way
     */
    Optional<byte[]> key(String id);

    /**
     * Returns the given keys that the source has withdrawn since it returned them. Instances stop
     * using them. Called about once a second while records flow, so it must not block for long. A
     * source that cannot answer now returns none.
     *
     * @param ids keys that {@link #key} has returned
     */
    default Set<String> withdrawn(Set<String> ids) {
        return Set.of();
    }

    /** Names the source in failures, without secrets. */
    @Override
    String toString();
}
