package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;

/**
 * The key of a part of a blob in a cache: a whole section, or a range as requested.
 *
 * @param blob the blob
 * @param offset start of the part in the blob, bytes
 * @param length length of the part, bytes
 */
record CachedPart(BlobId blob, long offset, long length) {
    /** The section that contains a range. */
    static CachedPart section(BlobId blob, BlobRange range) {
        return new CachedPart(blob, range.sectionOffset(), range.sectionLength());
    }

    /** Exactly the given range. */
    static CachedPart exactly(BlobId blob, BlobRange range) {
        return new CachedPart(blob, range.offset(), range.length());
    }
}
