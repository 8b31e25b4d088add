/** The command {@code blobshuffle gc}: deletes the blobs that no reader needs any more. */
@NullMarked
package dev.blobshuffle.cli.gc;

import org.jspecify.annotations.NullMarked;
