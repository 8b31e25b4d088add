/** The command {@code blobshuffle status}: the state of an application with blobs. */
@NullMarked
package dev.blobshuffle.cli.status;

import org.jspecify.annotations.NullMarked;
