package dev.blobshuffle.core.store;

import dev.blobshuffle.core.zone.Zone;

/**
 * The part of a blob for one zone.
 *
 * @param zone the zone of its readers
 * @param offset where it starts in the blob, bytes
 * @param length its length, bytes
 */
public record BlobSection(Zone zone, long offset, long length) {
    /** The first byte after it. */
    public long end() {
        return offset + length;
    }
}
