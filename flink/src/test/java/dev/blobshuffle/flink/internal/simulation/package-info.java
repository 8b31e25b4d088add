/** A Flink job without Flink: both sides of a shuffle under virtual time. */
@NullMarked
package dev.blobshuffle.flink.internal.simulation;

import org.jspecify.annotations.NullMarked;
