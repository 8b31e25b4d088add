/** Whose the blobs of a job are, and when they are deleted. */
@NullMarked
package dev.blobshuffle.flink.internal.retain;

import org.jspecify.annotations.NullMarked;
