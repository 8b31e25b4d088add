package dev.blobshuffle.core.format;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A blob laid out for its store: the list of buffers that make its bytes, bodies by reference, and a notification per segment. Immutable (the bodies' arrays
 * are the caller's).
 *
 * @param id the blob
 * @param length total length, bytes
 * @param buffers the bytes, in order; read-only, to be duplicated by each reader; array order follows the blob
 * @param notifications one per segment, in the order the segments were given
 */
public record BlobLayout(BlobId id, long length, List<ByteBuffer> buffers, List<Notification> notifications) {
    /**
     * Lays out a blob.
     *
     * @param store the store's fingerprint, for the notifications
     * @param createdMillis wall clock, milliseconds since the Unix epoch; for inspection
     * @param segments the segments in the order in which they lie in the blob: those of a zone next to each other; 1 or more
     */
    public static BlobLayout of(BlobId id, int store, long createdMillis, List<SegmentSource> segments) {
        throw new UnsupportedOperationException();
    }
}
