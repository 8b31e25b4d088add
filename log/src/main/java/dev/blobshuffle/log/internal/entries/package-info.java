/** The entries of a commit log's batch: which records of which partitions it adds. */
@NullMarked
package dev.blobshuffle.log.internal.entries;

import org.jspecify.annotations.NullMarked;
