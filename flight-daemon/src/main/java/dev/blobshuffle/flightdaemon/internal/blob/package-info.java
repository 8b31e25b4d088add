/** Blobs in the directories that the daemon may read: names, footers, commits. */
@NullMarked
package dev.blobshuffle.flightdaemon.internal.blob;

import org.jspecify.annotations.NullMarked;
