package dev.blobshuffle.core.store;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The bytes of a blob on their way to a store: a list of buffers that are never copied into one.
 * References are counted because the buffers are recycled. Each attempt of a retried or hedged
 * request holds a reference while it may read. Thread-safe.
 */
public interface BlobContent {
    /**
     * Content in an array that is not recycled, so its references need no counting. The array must
     * not change.
     */
    static BlobContent of(byte[] bytes) {
        return new ArrayContent(bytes);
    }

    /**
     * Content in several buffers, which are not copied. The caller holds the first reference. The
     * bytes must not change before the last reference is released.
     *
     * @param buffers the bytes from each buffer's position to its limit, in order
     * @param whenReleased recycles the buffers; runs once, on the thread that releases the last
     *     reference
     */
    static BlobContent of(List<ByteBuffer> buffers, Runnable whenReleased) {
        return new BufferContent(buffers, whenReleased);
    }

    /** Total length in bytes. */
    long length();

    /**
     * New read-only views of the buffers, in order. Each attempt reads its own views. Valid while
     * the caller holds a reference. Content that is not in memory loads a buffer whenever you
     * access it, so walk the list once, with its iterator.
     */
    List<ByteBuffer> buffers();

    /**
     * The sections with their zones, so that a cache can keep the sections that its own zone will
     * read. Empty if unknown. Valid as long as the buffers are.
     */
    default List<BlobSection> sections() {
        return List.of();
    }

    /** Adds a reference. Legal only while another reference is held. */
    void retain();

    /** Releases a reference. Releasing the last one recycles the buffers. */
    void release();
}
