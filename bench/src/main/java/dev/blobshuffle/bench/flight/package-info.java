/** The cost of shuffling columns through blobs, beside the shuffles of Daft, Ray and Dask. */
@NullMarked
package dev.blobshuffle.bench.flight;

import org.jspecify.annotations.NullMarked;
