/** The parts that both sides of a shuffle use: their task, and the operator around them. */
@NullMarked
package dev.blobshuffle.flink.internal.task;

import org.jspecify.annotations.NullMarked;
