/** The driver's directory of blobs, and the way to it. */
@NullMarked
package dev.blobshuffle.spark.internal.directory;

import org.jspecify.annotations.NullMarked;
