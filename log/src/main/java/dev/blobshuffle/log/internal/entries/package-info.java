/** The entries of a log batch: the records that it adds, by partition. */
@NullMarked
package dev.blobshuffle.log.internal.entries;

import org.jspecify.annotations.NullMarked;
