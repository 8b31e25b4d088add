/** The command {@code blobshuffle drained}: whether native clients may come back. */
@NullMarked
package dev.blobshuffle.cli.drained;

import org.jspecify.annotations.NullMarked;
