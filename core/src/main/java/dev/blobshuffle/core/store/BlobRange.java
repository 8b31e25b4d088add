package dev.blobshuffle.core.store;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.format.BlobId;

/**
 * The part of a blob to read: a segment, inside the section that caches may prefer to load whole. Half-open, in bytes of the blob.
 *
 * @param sectionOffset start of the section
 * @param sectionLength length of the section
 * @param offset start of the part
 * @param length length of the part, 1 or more
 */
public record BlobRange(long sectionOffset, long sectionLength, long offset, long length) {
    /** Checks that the part lies in the section. */
    public BlobRange {
        if (sectionOffset < 0
                || offset < sectionOffset
                || length < 1
                || sectionLength < 1
                || sectionLength > Long.MAX_VALUE - sectionOffset
                || length > sectionOffset + sectionLength - offset) {
            throw new IllegalArgumentException("Cannot form a range: [" + offset + ", +" + length
                    + ") is not in section [" + sectionOffset + ", +" + sectionLength + ").");
        }
    }

    /** A range that is its own section. */
    public static BlobRange of(long offset, long length) {
        return new BlobRange(offset, length, offset, length);
    }

    /** The first byte after the part. */
    public long end() {
        return offset + length;
    }

    /** The failure of a read of this range in a blob that ends before it, or that is not what was written. */
    public BlobCorrupt outside(BlobId id, long blobLength, String location) {
        return new BlobCorrupt("Cannot read blob " + id + ": bytes [" + offset + ", " + end() + ") are outside its "
                + blobLength + " bytes in " + location
                + ". The blob or its notification is damaged; restore it or skip its records.");
    }
}
