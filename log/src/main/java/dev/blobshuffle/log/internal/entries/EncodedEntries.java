package dev.blobshuffle.log.internal.entries;

import dev.blobshuffle.core.store.BlobId;
import java.util.Set;

/**
 * The entries of one batch, with the facts that a log needs about them.
 *
 * @param entries the bytes
 * @param blobs that the entries refer to
 * @param bytes size of the records, as stored
 * @param latest the largest timestamp of the records, milliseconds since the Unix epoch
 */
@SuppressWarnings("ArrayRecordComponent") // Two batches are never compared.
public record EncodedEntries(byte[] entries, Set<BlobId> blobs, long bytes, long latest) {
    /** Copies the set. */
    public EncodedEntries {
        blobs = Set.copyOf(blobs);
    }
}
