/** Blobs in the directories that the daemon may read: names, footers, commits. */
@NullMarked
package dev.blobshuffle.flight.internal.blob;

import org.jspecify.annotations.NullMarked;
