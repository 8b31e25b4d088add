/** The command {@code blobshuffle drained}: checks whether native clients may return. */
@NullMarked
package dev.blobshuffle.cli.drained;

import org.jspecify.annotations.NullMarked;
