/** Code that differs between the releases of Spark that one jar runs on. */
@NullMarked
package dev.blobshuffle.spark.internal.shim;

import org.jspecify.annotations.NullMarked;
