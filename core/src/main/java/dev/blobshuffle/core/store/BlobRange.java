package dev.blobshuffle.core.store;

import dev.blobshuffle.core.failure.BlobCorruptException;

/**
 * The part of a blob to read: a segment, and the section around it, which caches may load as a
 * whole. A half-open range of the blob's bytes.
 *
 * @param sectionOffset start of the section
 * @param sectionLength length of the section
 * @param offset start of the part
 * @param length length of the part, 1 or more
 * @param source the permitted source of the bytes
 */
public record BlobRange(long sectionOffset, long sectionLength, long offset, long length, Source source) {
    /** The permitted sources of bytes. */
    public enum Source {
        /** The nearest place that has them: a cache, a peer, the store. */
        ANYWHERE,
        /**
         * Only the store, because another place sent wrong bytes or no bytes. Caches drop their
         * bytes of the section.
         */
        STORE
    }

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

    /** A part that may come from anywhere. */
    public BlobRange(long sectionOffset, long sectionLength, long offset, long length) {
        this(sectionOffset, sectionLength, offset, length, Source.ANYWHERE);
    }

    /** A range that is its own section. */
    public static BlobRange of(long offset, long length) {
        return new BlobRange(offset, length, offset, length);
    }

    /** The whole section that the part lies in. */
    public BlobRange section() {
        return new BlobRange(sectionOffset, sectionLength, sectionOffset, sectionLength, source);
    }

    /** The same part, from the store only. */
    public BlobRange afresh() {
        return new BlobRange(sectionOffset, sectionLength, offset, length, Source.STORE);
    }

    /** Whether only the store may answer. */
    public boolean isAfresh() {
        return source == Source.STORE;
    }

    /** The first byte after the part. */
    public long end() {
        return offset + length;
    }

    /**
     * The failure of a read of this range, if the blob ends before it or its bytes differ from the
     * written ones.
     */
    public BlobCorruptException outside(BlobId id, long blobLength, String location) {
        return new BlobCorruptException(
                "Cannot read blob " + id + ": bytes [" + offset + ", " + end() + ") are outside its "
                        + blobLength + " bytes in " + location
                        + ". The blob or its notification is damaged; restore it or skip its records.");
    }
}
