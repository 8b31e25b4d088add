/** The read side: references come in, and records go out of the operator in order. */
@NullMarked
package dev.blobshuffle.flink.internal.debatch;

import org.jspecify.annotations.NullMarked;
