/** Packs the outputs of maps into blobs, and uploads them. */
@NullMarked
package dev.blobshuffle.spark.internal.write;

import org.jspecify.annotations.NullMarked;
