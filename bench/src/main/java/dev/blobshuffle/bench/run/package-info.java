/** The runner: variants and cells, interleaved, measured and checked. */
@NullMarked
package dev.blobshuffle.bench.run;

import org.jspecify.annotations.NullMarked;
