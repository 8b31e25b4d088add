/** The parts of a shuffle in Flink. */
@NullMarked
package dev.blobshuffle.flink.internal;

import org.jspecify.annotations.NullMarked;
