/** References that an operator of a shuffle has not handed on, as its state holds them. */
@NullMarked
package dev.blobshuffle.flink.internal.pending;

import org.jspecify.annotations.NullMarked;
