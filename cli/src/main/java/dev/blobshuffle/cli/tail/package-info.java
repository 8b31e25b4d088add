/** The command {@code blobshuffle tail}: the newest records of a shuffled topic. */
@NullMarked
package dev.blobshuffle.cli.tail;

import org.jspecify.annotations.NullMarked;
