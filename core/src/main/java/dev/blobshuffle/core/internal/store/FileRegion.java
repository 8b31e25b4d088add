package dev.blobshuffle.core.internal.store;

import java.nio.file.Path;

/**
 * A range of the bytes of a file.
 *
 * @param file the file with the bytes
 * @param offset offset of the first byte, 0 or more
 * @param length in bytes, 0 or more
 */
public record FileRegion(Path file, long offset, long length) {
    /** Checks the range. */
    public FileRegion {
        if (offset < 0 || length < 0 || offset + length < 0) {
            throw new IllegalArgumentException("Cannot describe a region of " + file + ": offset " + offset
                    + " and length " + length + " are not in range. Give 0 or more.");
        }
    }
}
