package dev.blobshuffle.core.store;

import dev.blobshuffle.core.zone.Zone;

/**
 * The part of a blob for one zone.
 *
 * @param zone the zone of its readers
 * @param offset start in the blob, bytes
 * @param length length, bytes
 */
public record BlobSection(Zone zone, long offset, long length) {
    /** The first byte after the section. */
    public long end() {
        return offset + length;
    }
}
