package dev.blobshuffle.core.store;

import dev.blobshuffle.core.format.Footer;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The bytes of a blob on their way to a store: a list of buffers that is never joined. Counted by reference, since the buffers are recycled: whoever may
 * still read them (each attempt of a retried or hedged request) holds a reference. Thread-safe.
 */
public interface BlobContent {
    /** Content in an array that nobody recycles, so that references to it need no counting. The array must stay as it is. */
    static BlobContent of(byte[] bytes) {
        return new ArrayContent(bytes);
    }

    /** Total length in bytes. */
    long length();

    /** Fresh read-only views of the buffers, in order: each attempt reads its own. Valid while the caller holds a reference. */
    List<ByteBuffer> buffers();

    /** Which part is for which zone, so that a cache can keep what its own zone will read; empty where nobody knows. Valid as the buffers are. */
    default List<Footer.Section> sections() {
        return List.of();
    }

    /** Takes a reference. Only legal while somebody else holds one. */
    void retain();

    /** Gives a reference back; with the last one the buffers are recycled. */
    void release();
}
