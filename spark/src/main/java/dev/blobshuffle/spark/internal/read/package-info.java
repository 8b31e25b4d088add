/** Reads shuffle blocks from the executor that wrote them, or from the store. */
@NullMarked
package dev.blobshuffle.spark.internal.read;

import org.jspecify.annotations.NullMarked;
