package dev.blobshuffle.log.internal;

import dev.blobshuffle.core.store.BlobId;
import java.util.Set;

/**
 * A batch to commit.
 *
 * @param topic the topic's number
 * @param entries its encoded entries ({@code EntriesCodec}), at most {@link #MAX_ENTRIES} bytes;
 *     not to be changed
 * @param blobs the blobs that the entries refer to
 * @param bytes the size of its records, for statistics
 * @param latest the largest timestamp of its records, milliseconds since the Unix epoch
 */
public record LogBatch(int topic, byte[] entries, Set<BlobId> blobs, long bytes, long latest) {
    /** The most bytes of entries in a batch; a larger commit has several batches. */
    public static final int MAX_ENTRIES = 64 * 1024;

    /** Checks the size. */
    public LogBatch {
        if (entries.length == 0 || entries.length > MAX_ENTRIES || bytes < 0) {
            throw new IllegalArgumentException(
                    "Cannot form a batch: " + entries.length + " bytes of entries, must be 1 to " + MAX_ENTRIES + ".");
        }
        blobs = Set.copyOf(blobs);
    }
}
