/** Parameters of a run: their names, defaults and values. */
@NullMarked
package dev.blobshuffle.bench.parameter;

import org.jspecify.annotations.NullMarked;
