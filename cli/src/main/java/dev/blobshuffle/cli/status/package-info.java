/** The command {@code blobshuffle status}: how an application with blobs is doing. */
@NullMarked
package dev.blobshuffle.cli.status;

import org.jspecify.annotations.NullMarked;
