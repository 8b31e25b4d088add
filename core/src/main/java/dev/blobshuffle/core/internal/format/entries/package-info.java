/** The entries of a commit log's batch: which records of which partitions it adds. */
@NullMarked
package dev.blobshuffle.core.internal.format.entries;

import org.jspecify.annotations.NullMarked;
