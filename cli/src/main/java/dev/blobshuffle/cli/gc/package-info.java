/** The command {@code blobshuffle gc}: deletes the blobs that nobody can read any more. */
@NullMarked
package dev.blobshuffle.cli.gc;

import org.jspecify.annotations.NullMarked;
