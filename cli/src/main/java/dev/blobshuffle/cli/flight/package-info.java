/** {@code blobshuffle flight}: the daemon that serves Arrow blobs. */
@NullMarked
package dev.blobshuffle.cli.flight;

import org.jspecify.annotations.NullMarked;
