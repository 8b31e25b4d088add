package dev.blobshuffle.spark.internal.read;

import dev.blobshuffle.core.store.BlobRange;
import java.util.Collection;

/**
 * The parts of a blob that caches load as a whole. They have one size and are aligned in the blob,
 * so all readers of a shuffle name the same sections, and each section has one owner in a zone.
 * Immutable.
 *
 * @param bytes size of a window; 0: each read is a section of its own
 */
record Windows(long bytes) {
    /** Without a cache a window would load bytes that no reader gets. */
    static final Windows NONE = new Windows(0);

    /** The smallest window. Below it, a request saves less than its unwanted bytes cost. */
    private static final long LEAST = 64 << 10;

    /** The bytes of some blobs' windows at one place in each, as a reader of a partition needs. */
    long sum(Collection<Long> lengths) {
        return lengths.stream().mapToLong(length -> Math.min(bytes, length)).sum();
    }

    /** The next smaller windows. */
    Windows half() {
        return bytes / 2 < LEAST ? NONE : new Windows(bytes / 2);
    }

    /** Whether a range is in one window. */
    boolean isWithin(long start, long end) {
        return bytes == 0 || start / bytes == (end - 1) / bytes;
    }

    /** The first byte after the window of an offset. */
    long end(long offset) {
        return bytes == 0 ? Long.MAX_VALUE : (offset / bytes + 1) * bytes;
    }

    /**
     * A range with the section that its window is.
     *
     * @param blob length of the blob, bytes
     * @param length a range that leaves its window is a section of its own
     */
    BlobRange range(long blob, long offset, long length) {
        if (bytes == 0 || !isWithin(offset, offset + length)) {
            return BlobRange.of(offset, length);
        }
        long start = offset / bytes * bytes;
        return new BlobRange(start, Math.min(bytes, blob - start), offset, length);
    }
}
