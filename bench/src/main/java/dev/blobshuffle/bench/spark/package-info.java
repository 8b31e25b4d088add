/** The cost of Spark's shuffles through blobs, beside Spark's own. */
@NullMarked
package dev.blobshuffle.bench.spark;

import org.jspecify.annotations.NullMarked;
