/** The command {@code blobshuffle skip}: gives up records whose blobs are missing. */
@NullMarked
package dev.blobshuffle.cli.skip;

import org.jspecify.annotations.NullMarked;
