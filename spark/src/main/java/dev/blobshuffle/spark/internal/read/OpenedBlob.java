package dev.blobshuffle.spark.internal.read;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;

/**
 * A stored blob with its index.
 *
 * @param id the blob
 * @param length its bytes
 * @param windows the parts that caches load
 * @param index of its segments
 */
record OpenedBlob(BlobId id, long length, Windows windows, BlobIndex index) {
    /** A range, and the section around it. */
    BlobRange range(long offset, long length) {
        return windows.range(this.length, offset, length);
    }
}
